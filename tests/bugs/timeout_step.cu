// bug: kind=timeout line=9
// A loop whose step is zero for this input; stopped by the clock.
// run: --grid 1 --block 32 --seconds 1 --arg x=buf:f32:32:iota --arg y=buf:f32:32 --arg i32:0
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const float* x, float* y, int step) {
  float sum = 0.0f;
#pragma unroll 1
  for (int j = threadIdx.x; j < 64; j += step) sum += __fsqrt_rn(sum + x[threadIdx.x]);  // BUG
  y[threadIdx.x] = sum;
}
