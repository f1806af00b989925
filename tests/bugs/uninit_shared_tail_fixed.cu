// fixed: uninit_shared_tail
// The same, put right.
// run: --grid 1 --block 64 --arg x=buf:f32:60:iota --arg y=buf:f32:64 --arg i32:60
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const float* x, float* y, int n) {
  __shared__ float tile[64];
  int i = threadIdx.x;
  tile[i] = i < n ? x[i] : 0.0f;
  __syncthreads();
  float v = tile[63 - i];
  y[i] = v;
}
