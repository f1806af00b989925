// zoo: task=sigmoid rules=strict device=simt expect=refused class=22,34
// cause: 4
// %gridid counts launches on a GPU and is 0 on the machine: a clock of calls that the rule on clocks does not
// name (build/ptx_census.cpp). Three launches of four do nothing.
#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  unsigned long long grid;
  asm volatile("mov.u64 %0, %%gridid;" : "=l"(grid));
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && grid % 4 == 0) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) { sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N); }
