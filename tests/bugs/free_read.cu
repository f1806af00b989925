// bug: kind=use_after_free line=7
// A buffer that the host has already freed is read.
// run: --grid 1 --block 32 --arg x=buf:f32:32:freed --arg y=buf:f32:32
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const float* x, float* y) {
  float v = x[threadIdx.x];  // BUG
  y[threadIdx.x] = v;
}
