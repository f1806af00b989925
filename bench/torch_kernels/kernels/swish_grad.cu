__device__ float slope(float v) {
  const float s = 1.0f / (1.0f + expf(-v));
  return s * (1.0f + v * (1.0f - s));
}
__global__ void compute(PARAMS, long n) {
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i < n) grad_x[i] = R(grad_out[i] * OP(slope, R(x[i])));
}
long work(PARAMS) { return (long)batch_size * dim; }
