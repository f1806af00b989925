// bug: kind=global_race line=7
// Each warp adds to the block's sum in global memory with a plain addition.
// run: --grid 2 --block 96 --arg sums=buf:f32:2
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(float* sums) {
  if (threadIdx.x % 32 == 0) sums[blockIdx.x] += 1.0f;  // BUG
}
