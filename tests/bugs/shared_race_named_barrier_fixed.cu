// fixed: shared_race_named_barrier
// The same, put right.
// run: --grid 1 --block 64 --arg y=buf:i32:32
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y) {
  __shared__ int buffer[32];
  const int lane = threadIdx.x & 31;
  int sum = 0;
#pragma unroll 1
  for (int round = 0; round < 3; ++round) {
    if (threadIdx.x < 32) {
      if (round > 0) asm volatile("bar.sync 2, 64;" ::: "memory");
      buffer[lane] = round + lane;
      asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
      asm volatile("bar.sync 1, 64;" ::: "memory");
      sum += buffer[31 - lane];
      if (round < 2) asm volatile("bar.arrive 2, 64;" ::: "memory");
    }
  }
  if (threadIdx.x >= 32) y[lane] = sum;
}
