// bug: kind=global_race line=12
// Blocks of a cooperative grid overwrite what others still read.
// run: --grid 4 --block 64 --cooperative --arg x=buf:i32:256:iota
// SPDX-License-Identifier: Apache-2.0

#include <cooperative_groups.h>

__global__ void kernel(int* x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  cooperative_groups::this_grid().sync();
  const int other = x[n - 1 - i];
  x[i] = other;  // BUG
}
