// fixed: global_race_grid_overwrite
// The same, put right.
// run: --grid 4 --block 64 --cooperative --arg x=buf:i32:256:iota
// SPDX-License-Identifier: Apache-2.0

#include <cooperative_groups.h>

__global__ void kernel(int* x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  const int other = x[n - 1 - i];
  cooperative_groups::this_grid().sync();
  x[i] = other;
}
