// fixed: trap_default
// The same, put right.
// run: --grid 1 --block 32 --arg k=buf:i32:32:iota --arg y=buf:i32:32
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const int* k, int* y) {
  int key = k[threadIdx.x];
  if (key > 31) __trap();
  y[threadIdx.x] = key;
}
