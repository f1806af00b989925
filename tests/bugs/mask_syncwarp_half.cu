// bug: kind=sync_mask line=10
// __syncwarp of all lanes in a branch that half of them take.
// run: --grid 1 --block 32 --arg y=buf:i32:32
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y) {
  int l = threadIdx.x;
  if (l < 16) {
    y[l] = 1;
    __syncwarp();  // BUG
    y[l] += 1;
  } else {
    y[l] = 7;
  }
}
