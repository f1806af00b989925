// bug: kind=misaligned line=8
// A float4 load starts at an odd element.
// run: --grid 1 --block 8 --arg x=buf:f32:64:iota --arg y=buf:f32:32
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const float* x, float4* y) {
  const float4* v = reinterpret_cast<const float4*>(x + 1);
  y[threadIdx.x] = v[threadIdx.x];  // BUG
}
