// bug: kind=out_of_bounds line=12
// The index of the last thread is one past its array, in the next one.
// run: --grid 1 --block 64 --arg x=buf:f32:64:iota --arg y=buf:f32:64
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const float* x, float* y) {
  __shared__ float left[64], right[64];
  const int i = threadIdx.x;
  left[i] = x[i];
  right[i] = 2.0f * x[i];
  __syncthreads();
  const float a = left[i + 1];  // BUG
  y[i] = a + right[63 - i];
}
