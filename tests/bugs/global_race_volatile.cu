// bug: kind=global_race line=10 also=uninitialised_read
// Volatile writes do not make another block's plain reads wait.
// run: --grid 2 --block 32 --arg x=buf:i32:64:none --arg y=buf:i32:64
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* x, int* y) {
  volatile int* out = x;
  const int i = blockIdx.x * 32 + threadIdx.x;
  out[i] = i;
  y[i] = x[63 - i];  // BUG
}
