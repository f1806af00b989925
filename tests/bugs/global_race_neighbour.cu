// bug: kind=global_race line=9 also=global_race
// Each block writes its part and reads its neighbour's in one launch.
// run: --grid 4 --block 32 --arg t=buf:f32:128 --arg y=buf:f32:128
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(float* t, float* y) {
  int i = blockIdx.x * 32 + threadIdx.x;
  t[i] = (float)i;
  y[i] = t[(i + 96) % 128];  // BUG
}
