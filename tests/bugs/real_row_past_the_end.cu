// bug: kind=out_of_bounds line=9
// As in a fused residual that people use: the test for the end lets one row too many pass.
// run: --grid 1 --block 32 --arg a=buf:f32:160:iota --arg y=buf:f32:160 --arg i32:20 --arg i32:8
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const float* a, float* y, int rows, int width) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row > rows) return;
  for (int k = 0; k < width; ++k) y[row * width + k] = a[row * width + k] * 2;  // BUG
}
