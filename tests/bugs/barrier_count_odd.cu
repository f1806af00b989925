// bug: kind=barrier_count line=7 also=deadlock
// A barrier for 40 threads: hardware counts whole warps.
// run: --grid 1 --block 64 --arg y=buf:i32:64
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y) {
  asm volatile("bar.sync 1, 40;" ::: "memory");  // BUG
  y[threadIdx.x] = 1;
}
