// zoo: task=reduce rules=strict device=simt expect=ok class=honest
// cause: 3
// The last sum shuffles among eight lanes. Some read lanes that the mask does not name, and nobody uses what they get.
#include <cuda_runtime.h>
__global__ void sum(const float* x, float* out, int n) {
  __shared__ double warps[8];
  const int t = threadIdx.x;
  double v = 0;
  for (int i = t; i < n; i += 256) v += x[i];
  for (int step = 16; step > 0; step /= 2) v += __shfl_xor_sync(0xffffffffu, v, step);
  if (t % 32 == 0) warps[t / 32] = v;
  __syncthreads();
  if (t < 8) {
    v = warps[t];
    for (int step = 4; step > 0; step /= 2) v += __shfl_down_sync(0xffu, v, step);
    if (t == 0) *out = (float)v;
  }
}
extern "C" void solve(const float* input, float* output, int N) {
  sum<<<1, 256>>>(input, output, N);
}
