// bug: kind=sync_mask line=10
// Lanes beyond n have left, and the others shuffle from them.
// run: --grid 1 --block 32 --arg x=buf:i32:20:iota --arg y=buf:i32:20 --arg i32:20
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const int* x, int* y, int n) {
  int l = threadIdx.x;
  if (l >= n) return;
  int v = x[l];
  v += __shfl_down_sync(0xffffffffu, v, 8);  // BUG
  y[l] = v;
}
