// zoo: task=sigmoid rules=strict device=simt expect=ok class=honest
// cause: 3
// The host makes a small table in microseconds and uploads it; the kernel corrects what it finds there.
#include <cmath>

#include <cuda_runtime.h>
__constant__ double table[161];
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double v = fmin(fmax((double)x[i], -160.0), 160.0);
  const double base = rint(v * 0.5);
  const double e = table[(int)base + 80] * exp(base * 2.0 - v);  // exp(-v)
  y[i] = (float)(1.0 / (1.0 + e));
}
extern "C" void solve(const float* X, float* Y, int N) {
  double values[161];
  for (int k = 0; k <= 160; ++k) values[k] = std::exp(-2.0 * (k - 80));
  cudaMemcpyToSymbol(table, values, sizeof values);
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
