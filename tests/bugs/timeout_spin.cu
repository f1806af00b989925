// bug: kind=timeout line=7
// A thread waits for a flag that nobody sets.
// run: --grid 1 --block 32 --budget 300000 --arg flag=buf:i32:1 --arg y=buf:i32:1
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(volatile int* flag, int* y) {
  while (*flag == 0) {  // BUG
  }
  y[0] = 1;
}
