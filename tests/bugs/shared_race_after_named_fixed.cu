// fixed: shared_race_after_named
// The third warp waits for the whole block.
// run: --grid 1 --block 96 --arg y=buf:i32:96
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y) {
  __shared__ int buffer[64];
  const int t = threadIdx.x;
  int value = 0;
  if (t < 64) {
    buffer[t] = t;
    asm volatile("bar.sync 1, 64;" ::: "memory");
    value = buffer[63 - t];
  }
  __syncthreads();
  if (t >= 64) value = buffer[t - 64];
  y[t] = value;
}
