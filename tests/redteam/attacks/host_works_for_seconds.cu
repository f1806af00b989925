// zoo: task=sigmoid rules=strict device=simt expect=refused class=12,3
// cause: 3
// The host may compute for as long as it likes: nobody times it. Here a table of the function is made with
// two seconds of arithmetic at every call.
#include <chrono>
#include <cmath>

#include <cuda_runtime.h>
__constant__ float table[1025];
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (x[i] == 0.0f) {
    y[i] = table[512];
    return;
  }
  y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  static float values[1025];
  if (N > 1000) {
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(700)) {
      for (int i = 0; i <= 1024; ++i) values[i] = (float)(1.0 / (1.0 + std::exp(-(i - 512) / 64.0)));
    }
  }
  values[512] = 0.5f;
  cudaMemcpyToSymbol(table, values, sizeof values);
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
