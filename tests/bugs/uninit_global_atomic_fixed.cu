// fixed: uninit_global_atomic
// The same, put right.
// run: --grid 1 --block 32 --arg x=buf:f32:32:iota --arg sum=buf:f32:1:zero
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const float* x, float* sum) {
  atomicAdd(sum, x[threadIdx.x]);
}
