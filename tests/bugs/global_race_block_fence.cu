// bug: kind=global_race line=16
// A fence for the block only stands between the data and the flag that another block waits for.
// run: --grid 2 --block 32 --arg data=buf:i32:1 --arg flag=buf:i32:1 --arg y=buf:i32:1
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* data, volatile int* flag, int* y) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    data[0] = 42;
    __threadfence_block();
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
    __threadfence();
    y[0] = data[0];  // BUG
  }
}
