// bug: kind=uninitialised_read line=12
// A tile of 33 columns is filled in 32 of them and copied whole.
// run: --grid 1 --block 32 --arg y=buf:f32:33
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(float* y) {
  __shared__ float row[33];
  row[threadIdx.x] = 1.0f;
  __syncthreads();
  if (threadIdx.x == 0)
#pragma unroll 1
    for (int c = 0; c < 33; ++c) y[c] = row[c];  // BUG
}
