// fixed: uninit_register_best
// The same, put right.
// run: --grid 1 --block 32 --arg x=buf:f32:64:iota --arg y=buf:f32:32 --arg f32:20
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const float* x, float* y, float limit) {
  float best = 0.0f;
#pragma unroll 1
  for (int j = 0; j < 2; ++j) {
    float v = x[threadIdx.x + 32 * j];
    if (v * v < limit) best = v;
  }
  y[threadIdx.x] = best;
}
