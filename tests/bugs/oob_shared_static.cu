// bug: kind=out_of_bounds line=11
// The tile has as many rows as threads, the halo needs two more.
// run: --grid 1 --block 64 --arg y=buf:f32:64
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(float* y) {
  __shared__ float tile[64];
  int i = threadIdx.x;
  tile[i] = (float)i;
  __syncthreads();
  float right = tile[i + 1];  // BUG
  y[i] = right;
}
