// bug: kind=deadlock line=11
// A consumer waits for a producer that arrives at another barrier.
// run: --grid 1 --block 64 --arg y=buf:i32:64
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y) {
  int i = threadIdx.x;
  if (i < 32) {
    asm volatile("bar.arrive 3, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 4, 64;" ::: "memory");  // BUG
    y[i] = 2;
  }
}
