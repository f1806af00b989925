// fixed: barrier_count_differs
// The same, put right.
// run: --grid 1 --block 96 --arg y=buf:i32:96
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y) {
  const int t = threadIdx.x;
  if (t < 64) asm volatile("bar.sync 1, 64;" ::: "memory");
  y[t] = t;
}
