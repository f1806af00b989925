// fixed: warp_race_tree
// The same, put right.
// run: --grid 1 --block 32 --arg x=buf:f32:32:iota --arg y=buf:f32:1
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const float* x, float* y) {
  __shared__ float s[64];
  int l = threadIdx.x;
  s[l] = x[l];
  s[l + 32] = 0.0f;
#pragma unroll 1
  for (int d = 16; d > 0; d >>= 1) {
    __syncwarp();
    float other = s[l + d];
    __syncwarp();
    s[l] += other;
  }
  if (l == 0) y[0] = s[0];
}
