// bug: kind=global_race line=8
// One block resets a counter that others count up.
// run: --grid 4 --block 32 --arg counter=buf:i32:1
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* counter) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 2) *counter = 0;  // BUG
  atomicAdd(counter, 1);
}
