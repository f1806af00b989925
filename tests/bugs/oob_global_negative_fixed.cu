// fixed: oob_global_negative
// The same, put right.
// run: --grid 1 --block 64 --arg x=buf:f32:64:iota --arg y=buf:f32:64
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const float* x, float* y) {
  int i = threadIdx.x;
  float left = i > 0 ? x[i - 1] : 0.0f;
  float here = x[i];
  y[i] = here - left;
}
