// bug: kind=trap line=8
// An impossible case is reached.
// run: --grid 1 --block 32 --arg k=buf:i32:32:iota --arg y=buf:i32:32
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const int* k, int* y) {
  int key = k[threadIdx.x];
  if (key > 30) __trap();  // BUG
  y[threadIdx.x] = key;
}
