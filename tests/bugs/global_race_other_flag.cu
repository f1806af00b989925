// bug: kind=global_race line=17
// The second block waits for a flag that has nothing to do with the data.
// run: --grid 2 --block 32 --arg data=buf:i32:1 --arg flag=buf:i32:2 --arg y=buf:i32:1
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* data, volatile int* flag, int* y) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    flag[1] = 1;
    data[0] = 42;
    __threadfence();
    flag[0] = 1;
  } else {
    while (flag[1] == 0) {
    }
    __threadfence();
    y[0] = data[0];  // BUG
  }
}
