// fixed: misaligned_vector_load
// The same, put right.
// run: --grid 1 --block 8 --arg x=buf:f32:64:iota --arg y=buf:f32:32
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const float* x, float4* y) {
  const float4* v = reinterpret_cast<const float4*>(x + 4);
  y[threadIdx.x] = v[threadIdx.x];
}
