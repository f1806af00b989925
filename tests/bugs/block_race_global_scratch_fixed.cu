// fixed: block_race_global_scratch
// The same, put right.
// run: --grid 1 --block 64 --arg t=buf:i32:64 --arg y=buf:i32:64
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* t, int* y) {
  int i = threadIdx.x;
  t[i] = i;
  __syncthreads();
  y[i] = t[(i + 32) % 64];
}
