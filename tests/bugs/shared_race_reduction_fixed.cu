// fixed: shared_race_reduction
// The same, put right.
// run: --grid 1 --block 128 --arg x=buf:f32:128:iota --arg y=buf:f32:1
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const float* x, float* y) {
  __shared__ float s[128];
  int i = threadIdx.x;
  s[i] = x[i];
  __syncthreads();
#pragma unroll 1
  for (int d = 64; d > 0; d >>= 1) {
    if (i < d) s[i] += s[i + d];
    __syncthreads();
  }
  if (i == 0) y[0] = s[0];
}
