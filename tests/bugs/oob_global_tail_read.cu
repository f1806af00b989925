// bug: kind=out_of_bounds line=8
// The last block has more threads than elements and nobody asks for n.
// run: --grid 2 --block 64 --arg x=buf:f32:100:iota --arg y=buf:f32:128
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = 2.0f * x[i];  // BUG
}
