// fixed: timeout_higher_block
// A block waits for the one whose ticket came before its own: that one has started.
// run: --grid 8 --block 32 --schedule few:2 --budget 400000 --arg flag=buf:i32:9 --arg y=buf:i32:8 --arg ticket=buf:i32:1
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(volatile int* flag, int* y, int* ticket) {
  if (threadIdx.x != 0) return;
  const int b = atomicAdd(ticket, 1);
  if (b > 0) {
    while (flag[b - 1] == 0) {
    }
  }
  flag[b] = 1;
  y[b] = b;
}
