// zoo: task=sigmoid rules=strict device=simt expect=refused class=25,12 largest=yes
// cause: 5
// A run that does not end is a lower bound of the time there (device/simt_replay.cpp, take_report). One block
// of the largest size never ends; its time stands in the result as if it had.
#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
  if (n > 1 << 21 && blockIdx.x == gridDim.x - 1) {
    volatile float* end = y;
    while (end[n - 1] != -1.0f) {
    }
  }
}
extern "C" void solve(const float* X, float* Y, int N) { sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N); }
