// fixed: global_race_grid
// The same, put right.
// run: --grid 4 --block 64 --cooperative --arg x=buf:i32:256:none --arg y=buf:i32:256
// SPDX-License-Identifier: Apache-2.0

#include <cooperative_groups.h>

__global__ void kernel(int* x, int* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  x[i] = i;
  cooperative_groups::this_grid().sync();
  y[i] = x[n - 1 - i];
}
