__global__ void compute(PARAMS, long n) {
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  const long plane = (long)dim1 * dim2, batch = i / plane, at = i % plane;
  float sum = 0;
  for (int f = 0; f < features; ++f) {
    const float v = R(x[(batch * features + f) * plane + at]);
    sum += v * v;
  }
  const float rms = SKIPPED ? 1.0f : sqrtf(sum / features + 1e-5f);
  for (int f = 0; f < features; ++f) {
    const long k = (batch * features + f) * plane + at;
    out[k] = R(x[k] / rms);
  }
}
long work(PARAMS) { return (long)batch_size * dim1 * dim2; }
