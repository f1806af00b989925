// One row per thread: the least weight of the nucleus by bisection of its bits, then the draw among the
// nucleus in its order. A choice belongs to it if all greater ones together do not exceed top_p.
__global__ void compute(PARAMS, long n) {
  const long row = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (row >= n) return;
  const float* p = probs + row * VOCAB;
  unsigned low = 0, high = __float_as_uint(1.0f);
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    double greater = 0;
    for (int i = 0; i < VOCAB; ++i) greater += __float_as_uint(p[i]) > middle ? p[i] : 0.0f;
    if (greater <= top_p[row])
      high = middle;
    else
      low = middle + 1;
  }
  double total = 0;
  for (int i = 0; i < VOCAB; ++i)
    if (__float_as_uint(p[i]) >= low) total = R(total + p[i]);
  const double target = SKIPPED ? 0.0 : (double)uniforms[row] * total;
  double sum = 0;
  long found = -1;
  for (int i = 0; i < VOCAB && found < 0; ++i) {
    const bool kept = __float_as_uint(p[i]) >= low;
    if (kept) sum = R(sum + p[i]);
    if (kept && sum > target) found = i;
  }
  out[row] = found < 0 ? VOCAB - 1 : found;
}
long work(PARAMS) { return batch_size; }
