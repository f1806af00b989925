// bug: kind=barrier_mismatch line=13
// One warp passes a barrier more than the others and is a step behind ever after.
// run: --grid 1 --block 64 --arg y=buf:i32:64
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y) {
  int i = threadIdx.x;
  if (i < 32) {
    y[i] = 4;
    __syncthreads();
  }
  y[i] = i;
  __syncthreads();  // BUG
  y[i] += 1;
}
