// bug: kind=shared_race line=16 nvcc=gone
// Warp 1 waits for a flag that warp 0 raises with no fence behind its message.
// run: --grid 1 --block 64 --arg y=buf:i32:1
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y) {
  __shared__ int message;
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) message = 42;
  if (threadIdx.x == 0) flag = 1;
  if (threadIdx.x == 32) {
    while (flag == 0) {
    }
    y[0] = message;  // BUG
  }
}
