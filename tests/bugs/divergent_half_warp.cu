// bug: kind=divergent_barrier line=10 also=deadlock
// A barrier stands in a branch that only half of each warp takes.
// run: --grid 1 --block 64 --arg y=buf:i32:64
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y) {
  int i = threadIdx.x;
  if (i % 32 < 16) {
    y[i] = 1;
    __syncthreads();  // BUG
    y[i] += 1;
  } else {
    y[i] = 3;
  }
}
