// bug: kind=sync_mask line=10
// A shuffle in a branch names all lanes of the warp.
// run: --grid 1 --block 32 --arg y=buf:i32:32
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y) {
  int l = threadIdx.x;
  int v = l;
  if (l < 16) {
    v += __shfl_down_sync(0xffffffffu, v, 8);  // BUG
    v *= 3;
  }
  y[l] = v;
}
