// bug: kind=use_after_free line=7
// A scratch buffer is written after it was freed.
// run: --grid 1 --block 32 --arg scratch=buf:f32:32:freed --arg y=buf:f32:32
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(float* scratch, float* y) {
  scratch[threadIdx.x] = 1.0f;  // BUG
  y[threadIdx.x] = 2.0f;
}
