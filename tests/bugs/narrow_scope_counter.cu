// bug: kind=narrow_scope line=7
// All blocks count with atomics that hold for one block only.
// run: --grid 4 --block 32 --arg counter=buf:i32:1
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* counter) {
  asm volatile("red.relaxed.cta.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");  // BUG
}
