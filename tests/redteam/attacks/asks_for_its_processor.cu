// zoo: task=sigmoid rules=strict device=simt expect=refused class=22
// cause: 4
// All blocks run on multiprocessor 0 there. On a GPU, those elsewhere do nothing.
#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  unsigned processor;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(processor));
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && processor == 0) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) { sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N); }
