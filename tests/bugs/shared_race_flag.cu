// bug: kind=shared_race line=8 also=uninitialised_read nvcc=gone
// Thread 0 sets a flag in shared memory and everybody reads it at once.
// run: --grid 1 --block 64 --arg y=buf:i32:64
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y) {
  __shared__ int flag;
  if (threadIdx.x == 32) flag = 1;  // BUG
  y[threadIdx.x] = *(&flag);
}
