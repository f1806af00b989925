// bug: kind=out_of_bounds line=8
// A stencil reads the left neighbour of element 0.
// run: --grid 1 --block 64 --arg x=buf:f32:64:iota --arg y=buf:f32:64
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const float* x, float* y) {
  int i = threadIdx.x;
  float left = x[i - 1];  // BUG
  float here = x[i];
  y[i] = here - left;
}
