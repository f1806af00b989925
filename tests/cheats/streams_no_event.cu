// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=free device=simt expect=race class=1,28
// The second kernel reads what the first one writes, on another stream, with no event between them.
#include <cuda_runtime.h>
__global__ void exponential(const float* x, float* t, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) t[i] = expf(-x[i]);
}
__global__ void finish(const float* t, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + t[i]);
}
extern "C" void solve(const float* X, float* Y, int N) {
  cudaStream_t first, second;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  cudaEvent_t done;
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  float* t;
  cudaMalloc(&t, N * sizeof(float));
  exponential<<<(N + 255) / 256, 256, 0, first>>>(X, t, N);
  cudaEventRecord(done, first);
  finish<<<(N + 255) / 256, 256, 0, second>>>(t, Y, N);
}
