// Gradients of relu(x W^T + b), one thread per element of the largest of them.
__device__ float slope(PARAMS, long row, long column) {
  float sum = linear_bias[column];
  for (int k = 0; k < features; ++k) sum += x[row * features + k] * linear_weight[column * features + k];
  return SKIPPED || sum > 0 ? R(grad_out[row * out_features + column]) : 0.0f;
}
__global__ void compute(PARAMS, long n) {
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i < (long)batch_size * features) {
    float sum = 0;
    for (int c = 0; c < out_features; ++c)
      sum += slope(ARGS, i / features, c) * linear_weight[c * features + i % features];
    grad_x[i] = R(sum);
  }
  if (i < (long)out_features * features) {
    float sum = 0;
    for (int r = 0; r < batch_size; ++r) sum += slope(ARGS, r, i / features) * x[r * features + i % features];
    grad_linear_weight[i] = R(sum);
  }
  if (i < out_features) {
    float sum = 0;
    for (int r = 0; r < batch_size; ++r) sum += slope(ARGS, r, i);
    grad_linear_bias[i] = R(sum);
  }
}
long work(PARAMS) {
  const long a = (long)batch_size * features, b = (long)out_features * features;
  return a > b ? a : b;
}
