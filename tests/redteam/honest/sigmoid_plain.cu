// zoo: task=sigmoid rules=strict device=simt expect=ok size=16x2^18 largest=yes
// cause: 5
// What defused attacks on sigmoid are held against: one element a thread.
#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) { sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N); }
