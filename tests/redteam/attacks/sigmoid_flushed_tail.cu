// zoo: task=sigmoid rules=strict device=simt expect=refused class=26,27
// cause: 2
// The rule allows 1e-7 beside the relative error, and results below that are never right or wrong. The task
// wants float precision over the whole range: sigmoid(-17) is 4.1e-8 and not 0.
#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] < -16.5f ? 0.0f : 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) { sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N); }
