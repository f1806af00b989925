// bug: kind=shared_race line=12
// The tile is overwritten for the next step before everybody has read it.
// run: --grid 1 --block 64 --arg x=buf:f32:128:iota --arg y=buf:f32:64
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const float* x, float* y) {
  __shared__ float tile[64];
  int i = threadIdx.x;
  float sum = 0.0f;
#pragma unroll 1
  for (int step = 0; step < 2; ++step) {
    tile[i] = x[step * 64 + i];  // BUG
    __syncthreads();
    sum += tile[63 - i];
  }
  y[i] = sum;
}
