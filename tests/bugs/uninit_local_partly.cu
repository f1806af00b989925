// bug: kind=uninitialised_read line=10
// A lookup in a private table that was only filled up to n.
// run: --grid 1 --block 32 --arg y=buf:i32:32 --arg i32:4
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y, int n) {
  int table[8];
#pragma unroll 1
  for (int j = 0; j < n; ++j) table[j] = j * j;
  y[threadIdx.x] = table[threadIdx.x & 7];  // BUG
}
