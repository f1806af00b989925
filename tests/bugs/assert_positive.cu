// bug: kind=assertion line=11
// An assertion on the input does not hold.
// run: --grid 1 --block 32 --arg x=buf:i32:32:iota,-3 --arg y=buf:i32:32
// SPDX-License-Identifier: Apache-2.0

#ifndef assert
#include <cassert>
#endif
__global__ void kernel(const int* x, int* y) {
  int v = x[threadIdx.x];
  assert(v >= 0);  // BUG
  y[threadIdx.x] = v;
}
