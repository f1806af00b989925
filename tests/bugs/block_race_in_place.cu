// bug: kind=global_race line=9
// One block shifts an array in place; a warp overwrites what its neighbour has still to read.
// run: --grid 1 --block 128 --arg x=buf:i32:129:iota
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* x) {
  int i = threadIdx.x;
  int right = x[i + 1];
  x[i] = right;  // BUG
}
