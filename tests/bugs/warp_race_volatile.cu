// bug: kind=warp_race line=14
// Volatile accesses do not keep lanes in step.
// run: --grid 1 --block 32 --arg x=buf:f32:32:iota --arg y=buf:f32:1
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const float* x, float* y) {
  __shared__ float s[64];
  volatile float* p = s;
  int l = threadIdx.x;
  p[l] = x[l];
  p[l + 32] = 0.0f;
  __syncwarp();
#pragma unroll 1
  for (int d = 16; d > 0; d >>= 1) p[l] = p[l] + p[l + d];  // BUG
  if (l == 0) y[0] = s[0];
}
