// bug: kind=out_of_bounds line=8 also=global_race
// The pitch is taken in bytes where elements are meant.
// run: --grid 1 --block 8,8 --arg m=buf:f32:64:iota --arg y=buf:f32:64 --arg i32:32
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const float* m, float* y, int pitch) {
  int r = threadIdx.y, c = threadIdx.x;
  float v = m[r * pitch + c];  // BUG
  y[r * 8 + c] = v;
}
