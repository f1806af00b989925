// bug: kind=out_of_bounds line=8
// A histogram has one bin less than there are values.
// run: --grid 1 --block 64 --arg v=buf:i32:64:iota --arg bins=buf:i32:63
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const int* v, int* bins) {
  int value = v[threadIdx.x];
  atomicAdd(&bins[value], 1);  // BUG
}
