// bug: kind=sync_mask line=8
// A block of 24 threads shuffles as if it had 32.
// run: --grid 1 --block 24 --arg y=buf:i32:24
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y) {
  int v = threadIdx.x;
  v += __shfl_xor_sync(0xffffffffu, v, 16);  // BUG
  y[threadIdx.x] = v;
}
