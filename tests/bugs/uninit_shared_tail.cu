// bug: kind=uninitialised_read line=11
// The last threads skip the load into the tile, and all threads read it.
// run: --grid 1 --block 64 --arg x=buf:f32:60:iota --arg y=buf:f32:64 --arg i32:60
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const float* x, float* y, int n) {
  __shared__ float tile[64];
  int i = threadIdx.x;
  if (i < n) tile[i] = x[i];
  __syncthreads();
  float v = tile[63 - i];  // BUG
  y[i] = v;
}
