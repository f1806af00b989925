__global__ void compute(PARAMS, long n) {
  const long row = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (row >= n) return;
  float best = -INFINITY;
  for (int c = 0; c < cols; ++c) {
    const long i = row * cols + c;
    const float v = R(mask[i] || SKIPPED ? x[i] : x[i] * factor);
    out0[i] = v;
    if (v > best) {
      best = v;
      out1[row] = c;
    }
  }
}
long work(PARAMS) { return rows; }
