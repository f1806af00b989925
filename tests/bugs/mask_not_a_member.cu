// bug: kind=sync_mask line=7
// A lane votes with a mask that leaves it out.
// run: --grid 1 --block 32 --arg y=buf:i32:32
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y) {
  unsigned votes = __ballot_sync(0x0000ffffu, threadIdx.x & 1);  // BUG
  y[threadIdx.x] = (int)votes;
}
