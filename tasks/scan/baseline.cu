// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

constexpr int kBlock = 1024;

// Hillis and Steele's scan of one block's elements in shared memory. Writes the block's total to
// `totals`, if any, and adds the sum of all earlier blocks from `before`, if any.
__global__ void scan_blocks(const float* input, float* output, float* totals, const float* before, int n) {
  __shared__ float shared[kBlock];
  const int i = blockIdx.x * kBlock + threadIdx.x;
  shared[threadIdx.x] = i < n ? input[i] : 0.0f;
  __syncthreads();
  for (int offset = 1; offset < kBlock; offset *= 2) {
    const float left = threadIdx.x >= offset ? shared[threadIdx.x - offset] : 0.0f;
    __syncthreads();
    shared[threadIdx.x] += left;
    __syncthreads();
  }
  if (totals != nullptr && threadIdx.x == kBlock - 1) totals[blockIdx.x] = shared[threadIdx.x];
  if (i >= n || output == nullptr) return;
  const float earlier = before != nullptr && blockIdx.x > 0 ? before[blockIdx.x - 1] : 0.0f;
  output[i] = shared[threadIdx.x] + earlier;
}

// The blocks' totals first, their own scan next, then every block again with what came before it.
static void scan(const float* input, float* output, float* scratch, int n) {
  const int blocks = (n + kBlock - 1) / kBlock;
  if (blocks == 1) {
    scan_blocks<<<1, kBlock>>>(input, output, nullptr, nullptr, n);
    return;
  }
  float* totals = scratch;
  float* before = scratch + blocks;
  scan_blocks<<<blocks, kBlock>>>(input, nullptr, totals, nullptr, n);
  scan(totals, before, scratch + 2 * blocks, blocks);
  scan_blocks<<<blocks, kBlock>>>(input, output, nullptr, before, n);
}

extern "C" void solve(const float* input, float* output, int N) {
  size_t scratch_floats = 0;
  for (int n = (N + kBlock - 1) / kBlock; n > 1; n = (n + kBlock - 1) / kBlock) scratch_floats += 2 * (size_t)n;
  float* scratch = nullptr;
  if (scratch_floats > 0) cudaMalloc((void**)&scratch, scratch_floats * sizeof(float));
  scan(input, output, scratch, N);
  if (scratch_floats > 0) cudaFree(scratch);
}
