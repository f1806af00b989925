// fixed: shared_race_message
// The same, put right.
// run: --grid 1 --block 64 --arg y=buf:i32:1
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y) {
  __shared__ int message;
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) message = 42;
  __threadfence_block();
  if (threadIdx.x == 0) flag = 1;
  if (threadIdx.x == 32) {
    while (flag == 0) {
    }
    __threadfence_block();
    y[0] = message;
  }
}
