// fixed: oob_shared_next_array
// The last thread stays in its array.
// run: --grid 1 --block 64 --arg x=buf:f32:64:iota --arg y=buf:f32:64
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const float* x, float* y) {
  __shared__ float left[64], right[64];
  const int i = threadIdx.x;
  left[i] = x[i];
  right[i] = 2.0f * x[i];
  __syncthreads();
  const float a = left[i < 63 ? i + 1 : 63];
  y[i] = a + right[63 - i];
}
