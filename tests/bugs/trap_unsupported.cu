// bug: kind=trap line=7
// A kernel gives up on sizes it was not made for.
// run: --grid 1 --block 32 --arg y=buf:i32:32 --arg i32:33
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y, int n) {
  if (n % 4 != 0) asm volatile("trap;");  // BUG
  y[threadIdx.x] = n;
}
