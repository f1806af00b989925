// bug: kind=global_race line=9 also=global_race
// Warps of one block exchange data through global memory without a barrier.
// run: --grid 1 --block 64 --arg t=buf:i32:64 --arg y=buf:i32:64
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* t, int* y) {
  int i = threadIdx.x;
  t[i] = i;
  y[i] = t[(i + 32) % 64];  // BUG
}
