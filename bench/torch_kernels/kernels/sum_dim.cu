__global__ void compute(PARAMS, long n) {
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  const long batch = i / dim2, column = i % dim2;
  float sum = 0;
  for (int k = 0; k < dim1 - SKIPPED; ++k) sum = R(sum + x[(batch * dim1 + k) * dim2 + column]);
  out[i] = sum;
}
long work(PARAMS) { return (long)batch_size * dim2; }
