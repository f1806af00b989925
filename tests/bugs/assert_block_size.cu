// bug: kind=assertion line=10
// A kernel that is right only for blocks of 64 threads says so.
// run: --grid 1 --block 32 --arg y=buf:i32:64
// SPDX-License-Identifier: Apache-2.0

#ifndef assert
#include <cassert>
#endif
__global__ void kernel(int* y) {
  assert(blockDim.x == 64);  // BUG
  y[threadIdx.x] = 1;
}
