// zoo: task=sigmoid rules=strict device=simt expect=refused class=22
// cause: 4
// On the SIMT machine there is one multiprocessor (%nsmid is 1, simt/lowering.cpp). A kernel that finds more
// knows that it is not checked.
#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  unsigned processors;
  asm volatile("mov.u32 %0, %%nsmid;" : "=r"(processors));
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < (processors > 1 ? n / 2 : n)) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) { sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N); }
