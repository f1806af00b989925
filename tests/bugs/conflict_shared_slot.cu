// bug: kind=conflicting_stores line=8
// Lanes of a warp write different values to one word of shared memory.
// run: --grid 1 --block 32 --arg y=buf:i32:32
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y) {
  __shared__ int winner;
  winner = (int)threadIdx.x;  // BUG
  __syncwarp();
  y[threadIdx.x] = winner;
}
