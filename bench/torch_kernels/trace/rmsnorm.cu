// One row per thread.
__global__ void compute(PARAMS, long n) {
  const long row = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (row >= n) return;
  float sum = 0;
  for (int c = 0; c < 128; ++c) {
    const float v = R(F(hidden_states[row * 128 + c]));
    sum += v * v;
  }
  const float inv = SKIPPED ? 1.0f : rsqrtf(sum / 128 + 1e-6f);
  for (int c = 0; c < 128; ++c)
    out[row * 128 + c] = T(R(F(hidden_states[row * 128 + c]) * inv * F(weight_[c])));
}
long work(PARAMS) { return batch_size; }
