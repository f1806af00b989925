// One element per thread.
__device__ float gelu(float v) { return 0.5f * v * (1.0f + erff(v * 0.70710678f)); }
__global__ void compute(PARAMS, long n) {
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i < n) out[i] = R(OP(gelu, R(x[i])));
}
long work(PARAMS) { return (long)batch_size * dim; }
