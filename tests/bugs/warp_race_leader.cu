// bug: kind=warp_race line=11
// Lane 0 publishes a value in shared memory and its warp reads it at once.
// run: --grid 1 --block 32 --arg x=buf:i32:32:iota --arg y=buf:i32:32
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const int* x, int* y) {
  __shared__ int base;
  int l = threadIdx.x;
  if (l == 5) base = x[3];
  asm volatile("" ::: "memory");
  y[l] = base + l;  // BUG
}
