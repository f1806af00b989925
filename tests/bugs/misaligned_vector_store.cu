// bug: kind=misaligned line=8
// A float2 store to rows of odd length.
// run: --grid 1 --block 4 --arg y=buf:f32:64 --arg i32:7
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(float* y, int pitch) {
  float2* row = reinterpret_cast<float2*>(y + threadIdx.x * pitch);
  row[0] = make_float2(1.0f, 2.0f);  // BUG
}
