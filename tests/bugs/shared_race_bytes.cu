// bug: kind=shared_race line=9
// Two warps write the same byte of shared memory.
// run: --grid 1 --block 64 --arg y=buf:u8:64
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(unsigned char* y) {
  __shared__ unsigned char mark[32];
  int i = threadIdx.x;
  mark[i % 32] = (unsigned char)i;  // BUG
  __syncthreads();
  y[i] = mark[i % 32];
}
