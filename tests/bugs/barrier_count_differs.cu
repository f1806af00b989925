// bug: kind=barrier_count line=11 also=deadlock
// Two warps meet at a barrier, one of them for more threads.
// run: --grid 1 --block 96 --arg y=buf:i32:96
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y) {
  const int t = threadIdx.x;
  if (t < 32) {
    asm volatile("bar.sync 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 96;" ::: "memory");  // BUG
  }
  y[t] = t;
}
