// bug: kind=sync_mask line=9
// Lanes that name each other pass different masks.
// run: --grid 1 --block 32 --arg y=buf:i32:32
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y) {
  int l = threadIdx.x;
  unsigned mask = l < 16 ? 0xffffffffu : 0xffff0000u;
  int any = __any_sync(mask, l == 3);  // BUG
  y[l] = any;
}
