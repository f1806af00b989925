// bug: kind=out_of_bounds line=10
// A seventh element in an array of six, in what the next multiple of 16 bytes leaves over.
// run: --grid 1 --block 32 --arg y=buf:i32:32 --arg i32:7
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y, int n) {
  int stack[6] = {0};
  int top = 0;
#pragma unroll 1
  for (int j = 0; j < n; ++j) stack[top++] = j;  // BUG
  y[threadIdx.x] = stack[(threadIdx.x + n) % 6];
}
