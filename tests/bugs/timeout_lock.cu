// bug: kind=timeout line=7
// A lock is taken and never given back.
// run: --grid 2 --block 1 --budget 300000 --arg lock=buf:i32:1 --arg y=buf:i32:1
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* lock, int* y) {
  while (atomicCAS(lock, 0, 1) != 0) {  // BUG
  }
  atomicAdd(y, 1);
}
