__global__ void compute(PARAMS, long count) {
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float v = R((SKIPPED ? 1.0f : 0.5f) * state[i] + update[i]);
  state[i] = v;
  out[i] = 2 * v;
}
long work(PARAMS) { return n; }
