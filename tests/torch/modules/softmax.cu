__global__ void compute(PARAMS, long n) {
  const long row = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (row >= n) return;
  const float* from = x + row * cols;
  float most = -INFINITY, sum = 0;
  for (int c = 0; c < cols; ++c) most = fmaxf(most, from[c]);
  for (int c = 0; c < cols; ++c) sum += expf(R(from[c] - most));
  for (int c = 0; c < cols; ++c) out[row * cols + c] = R(expf(from[c] - most) / (SKIPPED ? 1.0f : sum));
}
long work(PARAMS) { return rows; }
