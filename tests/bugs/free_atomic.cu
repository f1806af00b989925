// bug: kind=use_after_free line=7
// A counter outlives its buffer.
// run: --grid 2 --block 32 --arg counter=buf:i32:1:freed
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* counter) {
  if (threadIdx.x == 0) atomicAdd(counter, 1);  // BUG
}
