// bug: kind=global_race line=12 also=uninitialised_read
// A cooperative grid reads what its other blocks wrote, with a barrier of the block only.
// run: --grid 4 --block 64 --cooperative --arg x=buf:i32:256:none --arg y=buf:i32:256
// SPDX-License-Identifier: Apache-2.0

#include <cooperative_groups.h>

__global__ void kernel(int* x, int* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  x[i] = i;
  __syncthreads();
  y[i] = x[n - 1 - i];  // BUG
}
