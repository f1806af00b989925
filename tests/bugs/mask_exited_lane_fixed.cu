// fixed: mask_exited_lane
// The same, put right.
// run: --grid 1 --block 32 --arg x=buf:i32:20:iota --arg y=buf:i32:20 --arg i32:20
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const int* x, int* y, int n) {
  int l = threadIdx.x;
  int v = l < n ? x[l] : 0;
  v += __shfl_down_sync(0xffffffffu, v, 8);
  if (l < n) y[l] = v;
}
