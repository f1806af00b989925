// fixed: global_race_in_place
// The same, put right.
// run: --grid 4 --block 32 --arg x=buf:f32:129:iota --arg y=buf:f32:129
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const float* x, float* y) {
  int i = blockIdx.x * 32 + threadIdx.x;
  float right = x[i + 1];
  y[i] = right;
}
