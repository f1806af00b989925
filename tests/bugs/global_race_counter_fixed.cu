// fixed: global_race_counter
// The same, put right.
// run: --grid 4 --block 32 --arg counter=buf:i32:1
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* counter) {
  if (threadIdx.x == 0) atomicAdd(counter, 1);
}
