// bug: kind=sync_mask line=11
// One way names lanes of the other, which names only itself.
// run: --grid 1 --block 32 --arg y=buf:i32:32
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y) {
  __shared__ int s[16];
  const int l = threadIdx.x;
  if (l < 16) {
    s[l] = l;
    __syncwarp();  // BUG
    y[l] = s[l];
  } else {
    __syncwarp(0xFFFF0000u);
    y[l] = l + 100;
  }
}
