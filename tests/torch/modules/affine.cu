__global__ void compute(PARAMS, long n) {
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i < n) out[i] = R(R(x[i]) * factor[i % cols] + (SKIPPED ? 0.0f : shift[i % cols]));
}
long work(PARAMS) { return (long)rows * cols; }
