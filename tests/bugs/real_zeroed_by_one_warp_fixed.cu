// fixed: real_zeroed_by_one_warp
// A barrier behind the clearing.
// run: --grid 1 --block 128 --arg x=buf:f32:128:iota --arg y=buf:f32:1
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const float* x, float* y) {
  __shared__ float sums[32];
  const int t = threadIdx.x;
  if (t < 32) sums[t] = 0;
  __syncthreads();
  float v = x[t];
  for (int s = 16; s > 0; s /= 2) v += __shfl_xor_sync(0xffffffffu, v, s);
  if (t % 32 == 0) sums[t / 32] = v;
  __syncthreads();
  if (t == 0) *y = sums[0] + sums[1] + sums[2] + sums[3];
}
