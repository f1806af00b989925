// bug: kind=barrier_count line=7 also=deadlock
// A barrier for 40 threads: hardware counts whole warps.
// run: --grid 1 --block 64 --arg y=buf:i32:64 --arg i32:40
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y, int threads) {
  asm volatile("bar.sync 1, %0;" ::"r"(threads) : "memory");  // BUG
  y[threadIdx.x] = 1;
}
