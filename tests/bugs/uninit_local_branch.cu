// bug: kind=uninitialised_read line=11
// Odd threads never fill their private array.
// run: --grid 1 --block 32 --arg x=buf:i32:32:iota --arg y=buf:i32:32 --arg i32:3
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const int* x, int* y, int k) {
  int part[4];
  int i = threadIdx.x;
  if (i % 2 == 0)
    for (int j = 0; j < 4; ++j) part[(j + k) & 3] = x[(i + j) & 31];
  y[i] = part[(i + k) & 3];  // BUG
}
