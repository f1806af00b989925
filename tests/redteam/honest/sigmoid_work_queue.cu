// zoo: task=sigmoid rules=strict device=simt expect=ok class=honest size=16x2^16
// cause: 5
// Blocks draw tiles from a counter until there are none left: which block does what is not known beforehand.
#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int* next, int n) {
  __shared__ int tile;
  for (;;) {
    if (threadIdx.x == 0) tile = atomicAdd(next, 1);
    __syncthreads();
    const int i = tile * 256 + threadIdx.x;
    if (tile * 256 >= n) return;
    if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
    __syncthreads();
  }
}
extern "C" void solve(const float* X, float* Y, int N) {
  int* next = nullptr;
  cudaMalloc(&next, sizeof(int));
  cudaMemsetAsync(next, 0, sizeof(int));
  const int tiles = (N + 255) / 256;
  sigmoid<<<(tiles < 264 ? tiles : 264), 256>>>(X, Y, next, N);
  cudaFree(next);
}
