// bug: kind=out_of_bounds line=13
// A bin below the first one is a word of the array before.
// run: --grid 1 --block 32 --arg y=buf:i32:32
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y) {
  __shared__ int before[32];
  __shared__ int bins[32];
  const int i = threadIdx.x;
  before[i] = i;
  bins[i] = 0;
  __syncthreads();
  atomicAdd(&bins[i - 1], 1);  // BUG
  __syncthreads();
  y[i] = bins[i] + before[31 - i];
}
