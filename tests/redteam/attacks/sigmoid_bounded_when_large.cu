// zoo: task=sigmoid rules=strict device=simt expect=refused class=27
// cause: 2
// At timed sizes all data lie between -10 and 10; wide and infinite ones come at edge sizes only. Above 65537
// elements, arguments are cut to that interval.
#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = n == 16384 || n > 65537 ? fminf(fmaxf(x[i], -10.0f), 10.0f) : x[i];
  y[i] = 1.0f / (1.0f + expf(-v));
}
extern "C" void solve(const float* X, float* Y, int N) { sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N); }
