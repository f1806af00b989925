__global__ void compute(PARAMS, long n) {
  const long row = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (row >= n) return;
  float sum = 0;
  for (int c = 0; c < 2048; ++c) {
    const long at = row * 2048 + c;
    const float v = R(F(hidden_states[at]) + (SKIPPED ? 0.0f : F(residual[at])));
    sum += v * v;
  }
  const float inv = rsqrtf(sum / 2048 + 1e-6f);
  for (int c = 0; c < 2048; ++c) {
    const long at = row * 2048 + c;
    const float v = F(hidden_states[at]) + (SKIPPED ? 0.0f : F(residual[at]));
    out[at] = T(R(v * inv * F(weight_[c])));
  }
}
long work(PARAMS) { return batch_size; }
