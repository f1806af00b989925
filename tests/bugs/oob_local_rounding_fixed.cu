// fixed: oob_local_rounding
// The same, put right.
// run: --grid 1 --block 32 --arg y=buf:i32:32 --arg i32:6
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y, int n) {
  int stack[6] = {0};
  int top = 0;
#pragma unroll 1
  for (int j = 0; j < n; ++j) stack[top++] = j;
  y[threadIdx.x] = stack[(threadIdx.x + n) % 6];
}
