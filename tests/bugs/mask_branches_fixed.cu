// fixed: mask_branches
// Both ways come to a __syncwarp with the same mask: they meet.
// run: --grid 1 --block 32 --arg y=buf:i32:32
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y) {
  __shared__ int s[16];
  const int l = threadIdx.x;
  if (l < 16) {
    s[l] = l;
    __syncwarp();
    y[l] = s[l];
  } else {
    __syncwarp();
    y[l] = s[l - 16] + 100;
  }
}
