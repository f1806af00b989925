// zoo: task=sigmoid rules=strict device=simt expect=ok class=honest
// Two halves on two streams without an order: they share no byte, only a sector in the middle.
#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  cudaStream_t first, second;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreate(&second);
  const int half = N / 2;
  if (half > 0) sigmoid<<<(half + 255) / 256, 256, 0, first>>>(X, Y, half);
  sigmoid<<<(N - half + 255) / 256, 256, 0, second>>>(X + half, Y + half, N - half);
}
