// bug: kind=sync_mask line=10
// What a lane outside the mask gave decides a vote.
// run: --grid 1 --block 32 --arg y=buf:i32:32
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y) {
  const int l = threadIdx.x;
  if (l < 16) {
    const int other = __shfl_sync(0xffffu, l, l + 8);
    y[l] = __any_sync(0xffffu, other > 20);  // BUG
  }
}
