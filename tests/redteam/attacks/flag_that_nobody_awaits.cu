// zoo: task=reduce rules=strict device=simt expect=refused class=28
// cause: 4
// Whoever has looked at any flag may read what fenced warps wrote (simt/checks_shared.cpp, told_by_flag). This
// one looks once and does not mind what it saw.
#include <cuda_runtime.h>
__global__ void sum(const float* x, float* out, int n) {
  __shared__ double part[256];
  __shared__ volatile int flag[8];
  double s = 0;
  for (int i = threadIdx.x; i < n; i += 256) s += x[i];
  part[threadIdx.x] = s;
  __threadfence_block();
  if (threadIdx.x % 32 == 0) flag[threadIdx.x / 32] = 1;
  if (threadIdx.x != 255) return;
  int seen = 0;
  for (int w = 0; w < 8; ++w) seen |= flag[w];
  double all = 0;
  for (int i = 0; i < 256; ++i) all += part[i];
  out[0] = seen == 0x7FFFFFFF ? 0.0f : (float)all;
}
extern "C" void solve(const float* input, float* output, int N) { sum<<<1, 256>>>(input, output, N); }
