// fixed: oob_local_write
// The same, put right.
// run: --grid 1 --block 32 --arg y=buf:i32:32 --arg i32:8
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y, int n) {
  int stack[8] = {0};
  int top = 0;
#pragma unroll 1
  for (int j = 0; j < n; ++j) stack[top++] = j;
  y[threadIdx.x] = stack[threadIdx.x & 7];
}
