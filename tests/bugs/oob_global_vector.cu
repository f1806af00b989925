// bug: kind=out_of_bounds line=8
// A float4 load runs over the end because n is no multiple of four.
// run: --grid 1 --block 32 --arg x=buf:f32:126:iota --arg y=buf:f32:128
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const float4* x, float4* y) {
  int i = threadIdx.x;
  float4 v = x[i];  // BUG
  v.x += 1.0f;
  y[i] = v;
}
