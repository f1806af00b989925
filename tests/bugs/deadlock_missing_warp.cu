// bug: kind=deadlock line=8
// A named barrier waits for more threads than ever come.
// run: --grid 1 --block 64 --arg y=buf:i32:64
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y) {
  int i = threadIdx.x;
  if (i < 32) asm volatile("bar.sync 1, 64;" ::: "memory");  // BUG
  y[i] = i;
}
