// bug: kind=out_of_bounds line=9
// An index computed modulo the wrong number leaves the array.
// run: --grid 1 --block 32 --arg y=buf:i32:32
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y) {
  __shared__ int slots[30];
  int i = threadIdx.x;
  slots[i % 32] = i;  // BUG
  __syncthreads();
  y[i] = slots[i % 30];
}
