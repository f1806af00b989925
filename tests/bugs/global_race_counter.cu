// bug: kind=global_race line=7
// Blocks count with plain additions on one global counter.
// run: --grid 4 --block 32 --arg counter=buf:i32:1
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* counter) {
  if (threadIdx.x == 0) *counter += 1;  // BUG
}
