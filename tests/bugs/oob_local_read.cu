// bug: kind=out_of_bounds line=9
// A register array is read one past its end.
// run: --grid 1 --block 32 --arg x=buf:i32:32:iota --arg y=buf:i32:32 --arg i32:9
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const int* x, int* y, int k) {
  int window[8];
  for (int j = 0; j < 8; ++j) window[(j + k) & 7] = x[(threadIdx.x + j) & 31];
  y[threadIdx.x] = window[k * 2];  // BUG
}
