// bug: kind=global_race line=16
// The first block passes a fence, and writes what it then announces behind it.
// run: --grid 2 --block 32 --arg data=buf:i32:1 --arg flag=buf:i32:1 --arg y=buf:i32:1
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* data, volatile int* flag, int* y) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    __threadfence();
    data[0] = 42;
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
    __threadfence();
    y[0] = data[0];  // BUG
  }
}
