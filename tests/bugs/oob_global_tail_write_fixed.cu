// fixed: oob_global_tail_write
// The same, put right.
// run: --grid 2 --block 64 --arg x=buf:f32:128:iota --arg y=buf:f32:100 --arg i32:100
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i] + 1.0f;
  y[i] = v;
}
