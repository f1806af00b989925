__global__ void compute(PARAMS, long n) {
  const long row = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (row >= n) return;
  const long head = row / length, at = row % length;
  float most = -INFINITY, sum = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (int t = 0; t <= (SKIPPED ? length - 1 : at); ++t) {
      float score = 0;
      for (int c = 0; c < width; ++c) score += R(q[row * width + c]) * R(k[(head * length + t) * width + c]);
      score /= sqrtf(static_cast<float>(width));
      if (pass == 0) {
        most = fmaxf(most, score);
        continue;
      }
      const float p = expf(score - most);
      sum += p;
      for (int c = 0; c < width; ++c)
        out[row * width + c] = (t == 0 ? 0.0f : out[row * width + c]) + p * v[(head * length + t) * width + c];
    }
  }
  for (int c = 0; c < width; ++c) out[row * width + c] = R(out[row * width + c] / sum);
}
long work(PARAMS) { return (long)heads * length; }
