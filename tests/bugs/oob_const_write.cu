// bug: kind=out_of_bounds line=9
// Constant memory is written through a pointer that lost its const.
// run: --grid 1 --block 1 --arg y=buf:i32:4 --arg i32:3
// SPDX-License-Identifier: Apache-2.0

__constant__ int table[4] = {1, 2, 3, 4};
__global__ void kernel(int* y, int i) {
  int* p = i > 2 ? const_cast<int*>(table) : y;
  p[i] = 5;  // BUG
}
