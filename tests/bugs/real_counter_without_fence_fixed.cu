// fixed: real_counter_without_fence
// Each block fences what it added before it counts itself.
// run: --grid 4 --block 32 --arg x=buf:f32:128:iota --arg part=buf:f32:32:fill,0 --arg count=buf:u32:1:fill,0 --arg y=buf:f32:32
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const float* x, float* part, unsigned* count, float* y) {
  __shared__ bool last;
  atomicAdd(&part[threadIdx.x], x[blockIdx.x * 32 + threadIdx.x]);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(count, 1) == gridDim.x - 1;
  __syncthreads();
  if (last) y[threadIdx.x] = part[threadIdx.x];
}
