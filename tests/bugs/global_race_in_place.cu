// bug: kind=global_race line=9
// A stencil over several blocks writes in place of its input.
// run: --grid 4 --block 32 --arg x=buf:f32:129:iota
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(float* x) {
  int i = blockIdx.x * 32 + threadIdx.x;
  float right = x[i + 1];
  x[i] = right;  // BUG
}
