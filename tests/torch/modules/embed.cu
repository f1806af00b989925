__global__ void compute(PARAMS, long n) {
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i < n) out[i] = R(table_weight[index[i / width] * width + i % width] * (SKIPPED ? 1.0f : 0.5f));
}
long work(PARAMS) { return (long)tokens * width; }
