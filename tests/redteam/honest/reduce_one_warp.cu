// zoo: task=reduce rules=strict device=simt expect=ok class=honest size=2^18
// cause: 5
// One warp for everything: slow at every size, and right at every size.
#include <cuda_runtime.h>
__global__ void sum(const float* x, float* out, int n) {
  double s = 0;
  for (int i = threadIdx.x; i < n; i += 32) s += x[i];
  for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(~0u, s, d);
  if (threadIdx.x == 0) out[0] = (float)s;
}
extern "C" void solve(const float* input, float* output, int N) { sum<<<1, 32>>>(input, output, N); }
