// bug: kind=out_of_bounds line=13
// As in an online softmax that people use: all lanes read a shared array that has a place per warp.
// run: --grid 1 --block 256 --arg x=buf:f32:256:iota --arg y=buf:f32:1
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const float* x, float* y) {
  __shared__ float warps[8];
  const int t = threadIdx.x;
  float v = x[t];
  for (int s = 16; s > 0; s /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, s));
  if (t % 32 == 0) warps[t / 32] = v;
  __syncthreads();
  v = warps[t % 32];  // BUG
  for (int s = 4; s > 0; s /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, s));
  if (t == 0) *y = v;
}
