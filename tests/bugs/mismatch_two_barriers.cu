// bug: kind=barrier_mismatch line=14
// Two halves of a block wait at two different barriers.
// run: --grid 1 --block 64 --arg y=buf:i32:64
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y) {
  int i = threadIdx.x;
  if (i < 32) {
    y[i] = 1;
    __syncthreads();
    y[i] += 2;
  } else {
    y[i] = 3;
    __syncthreads();  // BUG
    y[i] += 5;
  }
}
