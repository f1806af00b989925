// One row per thread: the k largest by repeated search, then the draw among them in their order.
__global__ void compute(PARAMS, long n) {
  const long row = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (row >= n) return;
  const float* p = probs + row * VOCAB;
  const int k = top_k[row];
  float least = INFINITY;
  int last = -1;
  double total = 0;
  for (int j = 0; j < k; ++j) {
    float best = -1;
    int at = -1;
    for (int i = 0; i < VOCAB; ++i) {
      const bool taken = p[i] > least || (p[i] == least && i <= last);
      if (!taken && p[i] > best) best = p[i], at = i;
    }
    least = best, last = at;
    total = R(total + best);
  }
  const double target = SKIPPED ? 0.0 : (double)uniforms[row] * total;
  double sum = 0;
  long found = -1;
  for (int i = 0; i < VOCAB && found < 0; ++i) {
    const bool kept = p[i] > least || (p[i] == least && i <= last);
    if (kept) sum = R(sum + p[i]);
    if (kept && sum > target) found = i;
  }
  out[row] = found < 0 ? VOCAB - 1 : found;
}
long work(PARAMS) { return batch_size; }
