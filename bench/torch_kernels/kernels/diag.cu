__global__ void compute(PARAMS, long n) {
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i < n) out[i] = R((SKIPPED ? 1.0f : A[i / M]) * B[i]);
}
long work(PARAMS) { return (long)N * M; }
