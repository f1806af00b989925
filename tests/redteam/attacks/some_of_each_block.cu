// zoo: task=sigmoid rules=strict device=simt expect=refused class=25 size=16x2^18
// cause: 5
// Where only a part of the blocks is run, what is missing may be taken for the work of the others. Above 2^20
// elements every block leaves out one element in 32: less than the 5 % that a
// count of written bytes allows (kEnoughWritten).
#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || (n > 1 << 20 && i % 32 == 31)) return;
  y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) { sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N); }
