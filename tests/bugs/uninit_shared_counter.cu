// bug: kind=uninitialised_read line=8
// A counter in shared memory is counted up from rubbish.
// run: --grid 1 --block 64 --arg y=buf:i32:1
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y) {
  __shared__ int counter;
  atomicAdd(&counter, 1);  // BUG
  __syncthreads();
  if (threadIdx.x == 0) y[0] = counter;
}
