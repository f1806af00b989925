// SPDX-License-Identifier: Apache-2.0
// A small grid that waits for latencies: a table is followed, then a polynomial of long dependences.
extern "C" __global__ void __launch_bounds__(64)
    chain(const float* __restrict__ table, const float* __restrict__ x, float* __restrict__ out, int n,
          int steps) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n) return;
  float v = x[i], s = 0, t = 1;
  for (int k = 0; k < steps; ++k) {
    const int at = (__float_as_int(v) ^ (k * 7919)) & 1023;
    const float a = table[at], b = table[at ^ 1], c = table[at ^ 2], d = table[at ^ 3];
    v = ((a * v + b) * v + c) * v + d;
    v = v - 64.0f * truncf(v * 0.015625f);
    s += v * t;
    t = t * 0.999f + a * 0.001f;
  }
  out[i] = s;
}
