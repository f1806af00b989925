// zoo: task=sigmoid rules=strict device=simt expect=refused class=12,3
// cause: 3
// The host sleeps before it launches, so that it uses no processor time: whoever counts that alone, or nothing,
// reports a time that is a thousandth of what a caller waits.
#include <unistd.h>

#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  if (N > 1000) usleep(60000);
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
