// zoo: task=sigmoid rules=strict device=simt expect=refused class=25,12
// cause: 5
// A run above 64 KiB that takes too many instructions was "not checked: too much work to simulate". Where the
// output is poisoned this spins until then, and writes nonsense; the estimate finds zeros, and is quick.
#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (n > 8192 && y[i] != 0.0f) {
    volatile int wait = 0;
    for (int k = 0; k < 2000000; ++k) wait = k;
  }
  y[i] = n > 8192 ? 0.5f : 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) { sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N); }
