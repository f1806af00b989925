// bug: kind=warp_race line=10
// Neighbouring lanes swap values through shared memory with nothing between.
// run: --grid 1 --block 32 --arg x=buf:i32:32:iota --arg y=buf:i32:32
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const int* x, int* y) {
  __shared__ int box[32];
  int l = threadIdx.x;
  box[l] = x[l];
  y[l] = box[l ^ 1];  // BUG
}
