// fixed: mismatch_two_barriers
// The same, put right.
// run: --grid 1 --block 64 --arg y=buf:i32:64
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y) {
  int i = threadIdx.x;
  y[i] = i < 32 ? 1 : 3;
  __syncthreads();
  y[i] += i < 32 ? 2 : 5;
}
