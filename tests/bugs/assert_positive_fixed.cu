// fixed: assert_positive
// The same, put right.
// run: --grid 1 --block 32 --arg x=buf:i32:32:iota --arg y=buf:i32:32
// SPDX-License-Identifier: Apache-2.0

#ifndef assert
#include <cassert>
#endif
__global__ void kernel(const int* x, int* y) {
  int v = x[threadIdx.x];
  assert(v >= 0);
  y[threadIdx.x] = v;
}
