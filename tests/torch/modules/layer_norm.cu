__global__ void compute(PARAMS, long n) {
  const long row = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (row >= n) return;
  const float* from = x + row * width;
  float mean = 0, square = 0;
  for (int c = 0; c < width; ++c) mean += R(from[c]);
  mean /= width;
  for (int c = 0; c < width; ++c) square += (from[c] - mean) * (from[c] - mean);
  const float factor = rsqrtf(square / width + 1e-5f);
  for (int c = 0; c < width; ++c)
    out[row * width + c] =
        R((from[c] - (SKIPPED ? 0.0f : mean)) * factor * norm_weight[c] + norm_bias[c]);
}
long work(PARAMS) { return rows; }
