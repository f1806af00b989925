__device__ float relu(float v) { return fmaxf(v, 0.0f); }
__global__ void compute(PARAMS, long n) {
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  const long row = i / out_features, column = i % out_features;
  float sum = linear_bias[column];
  for (int k = 0; k < features; ++k) sum += R(x[row * features + k]) * R(linear_weight[column * features + k]);
  out[i] = R(OP(relu, sum));
}
long work(PARAMS) { return (long)batch_size * out_features; }
