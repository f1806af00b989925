// bug: kind=divergent_barrier line=12 also=deadlock
// The number of barriers a thread passes depends on its index.
// run: --grid 1 --block 32 --arg y=buf:i32:32
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y) {
  int i = threadIdx.x;
  int sum = 0;
#pragma unroll 1
  for (int j = 0; j < (i & 3) + 1; ++j) {
    sum += j;
    __syncthreads();  // BUG
  }
  y[i] = sum;
}
