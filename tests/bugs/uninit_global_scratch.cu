// bug: kind=uninitialised_read line=7
// Partial sums are added to a scratch buffer that nobody cleared.
// run: --grid 1 --block 32 --arg scratch=buf:f32:32:none --arg y=buf:f32:32
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(float* scratch, float* y) {
  float old = scratch[threadIdx.x];  // BUG
  y[threadIdx.x] = old + 1.0f;
}
