__device__ float after(float v) {
  v /= 10.0f;
  return 0.5f * v * (1.0f + erff(v * 0.70710678f));
}
__global__ void compute(PARAMS, long n) {
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  const long row = i / output_size, column = i % output_size;
  float sum = 0;
  for (int k = 0; k < input_size; ++k) sum += R(x[row * input_size + k]) * R(linear_weight[column * input_size + k]);
  out[i] = R(OP(after, sum + linear_bias[column]));
}
long work(PARAMS) { return (long)batch_size * output_size; }
