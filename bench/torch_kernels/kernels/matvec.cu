__global__ void compute(PARAMS, long n) {
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k < K - SKIPPED; ++k) sum += R(A[i * K + k]) * R(B[k]);
  out[i] = R(sum);
}
long work(PARAMS) { return M; }
