// fixed: narrow_scope_counter
// Each block has a counter of its own.
// run: --grid 4 --block 64 --arg counter=buf:i32:4
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* counter) {
  asm volatile("red.relaxed.cta.global.add.u32 [%0], 1;" ::"l"(counter + blockIdx.x) : "memory");
}
