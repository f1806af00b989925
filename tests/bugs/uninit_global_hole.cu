// bug: kind=uninitialised_read line=10
// Only even elements were written by this kernel before all of them are read.
// run: --grid 1 --block 32 --arg t=buf:i32:32:none --arg y=buf:i32:32
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* t, int* y) {
  int i = threadIdx.x;
  if (i % 2 == 0) t[i] = i;
  __syncthreads();
  y[i] = t[i];  // BUG
}
