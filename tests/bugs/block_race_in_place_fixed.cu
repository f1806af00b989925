// fixed: block_race_in_place
// The same, put right.
// run: --grid 1 --block 128 --arg x=buf:i32:129:iota
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* x) {
  int i = threadIdx.x;
  int right = x[i + 1];
  __syncthreads();
  x[i] = right;
}
