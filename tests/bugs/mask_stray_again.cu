// bug: kind=sync_mask line=11
// A second shuffle, of all lanes of its mask, hands on what the first one got from outside.
// run: --grid 1 --block 32 --arg y=buf:i32:32
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y) {
  const int l = threadIdx.x;
  int v = l;
  if (l < 16) v = __shfl_down_sync(0xffffu, v, 8);
  v = __shfl_xor_sync(0xffffffffu, v, 1);
  y[l] = v;  // BUG
}
