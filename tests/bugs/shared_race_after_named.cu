// bug: kind=shared_race line=14
// Two warps meet at a barrier of their own; a third one reads what they wrote.
// run: --grid 1 --block 96 --arg y=buf:i32:96
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y) {
  __shared__ int buffer[64];
  const int t = threadIdx.x;
  if (t < 64) {
    buffer[t] = t;
    asm volatile("bar.sync 1, 64;" ::: "memory");
    y[t] = buffer[63 - t];
  } else {
    y[t] = buffer[t - 64] + 1;  // BUG
  }
}
