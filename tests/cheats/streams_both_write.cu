// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=free device=simt expect=race class=1,28
// Two kernels on two streams write the same element in the middle, with the same value.
#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  cudaStream_t first, second;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  const int half = N / 2 + 1 < N ? N / 2 + 1 : N;
  sigmoid<<<(half + 255) / 256, 256, 0, first>>>(X, Y, half);
  sigmoid<<<(N - N / 2 + 255) / 256, 256, 0, second>>>(X + N / 2, Y + N / 2, N - N / 2);
}
