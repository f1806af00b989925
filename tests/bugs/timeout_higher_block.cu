// bug: kind=timeout line=10
// Each block waits for the next one, which cannot start while the two before it are resident.
// run: --grid 8 --block 32 --schedule few:2 --budget 400000 --arg flag=buf:i32:9 --arg y=buf:i32:8
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(volatile int* flag, int* y) {
  const int b = blockIdx.x;
  if (threadIdx.x != 0) return;
  if (b + 1 < gridDim.x) {
    while (flag[b + 1] == 0) {  // BUG
    }
  }
  flag[b] = 1;
  y[b] = b;
}
