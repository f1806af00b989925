// bug: kind=global_race line=8
// Blocks write rows that overlap by one element.
// run: --grid 4 --block 32 --arg y=buf:i32:128
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y) {
  int i = blockIdx.x * 31 + threadIdx.x;
  y[i] = (int)blockIdx.x;  // BUG
}
