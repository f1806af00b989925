// fixed: mask_full_in_branch
// The same, put right.
// run: --grid 1 --block 32 --arg y=buf:i32:32
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y) {
  int l = threadIdx.x;
  int v = l;
  if (l < 16) {
    v += __shfl_xor_sync(0x0000ffffu, v, 8);
    v *= 3;
  }
  y[l] = v;
}
