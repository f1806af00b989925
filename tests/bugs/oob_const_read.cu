// bug: kind=out_of_bounds line=12
// A table of seven weights is read at its eighth.
// run: --grid 1 --block 32 --arg y=buf:f32:32
// SPDX-License-Identifier: Apache-2.0

__constant__ float weights[7] = {1, 2, 3, 4, 5, 6, 7};
__constant__ float other[7] = {1, 2, 3, 4, 5, 6, 8};

__global__ void kernel(float* y) {
  const int i = threadIdx.x;
  y[i] = other[i % 7];
  y[i] += weights[i % 8];  // BUG
}
