// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

constexpr int kThreads = 256;

// The sum over all threads of the block, in shared memory; every thread gets it.
__device__ float block_sum(float value, float* shared) {
  shared[threadIdx.x] = value;
  __syncthreads();
  for (int stride = kThreads / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) shared[threadIdx.x] += shared[threadIdx.x + stride];
    __syncthreads();
  }
  const float sum = shared[0];
  __syncthreads();
  return sum;
}

// One block per row, three passes: mean, squared deviations, normalise.
__global__ void layer_norm(const float* input, const float* weight, const float* bias, float* output, int c, float eps) {
  __shared__ float shared[kThreads];
  const float* row = input + (size_t)blockIdx.x * c;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < c; i += kThreads) sum += row[i];
  const float mean = block_sum(sum, shared) / c;
  float squares = 0.0f;
  for (int i = threadIdx.x; i < c; i += kThreads) squares += (row[i] - mean) * (row[i] - mean);
  const float scale = 1.0f / sqrtf(block_sum(squares, shared) / c + eps);
  for (int i = threadIdx.x; i < c; i += kThreads) {
    output[(size_t)blockIdx.x * c + i] = (row[i] - mean) * scale * weight[i] + bias[i];
  }
}

extern "C" void solve(const float* input, const float* weight, const float* bias, float* output, int N, int C, float eps) {
  layer_norm<<<N, kThreads>>>(input, weight, bias, output, C, eps);
}
