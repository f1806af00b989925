// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=cuda expect=forbidden class=6
// Reads the time through the toolkit's C++ library.
#include <cuda/ptx>
#include <cuda/std/chrono>
#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (cuda::ptx::get_sreg_globaltimer() % 2 == 0) __nanosleep(100000);
  if (cuda::std::chrono::system_clock::now().time_since_epoch().count() % 2 == 0) __nanosleep(100);
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
