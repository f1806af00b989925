// zoo: task=reduce rules=strict device=simt expect=refused class=1
// cause: 3
// The last sum shuffles among eight lanes and reads lanes that its mask does not name. They may hold zeros, and then a
// GPU hands them over, so that the result is right, by chance: CUDA leaves it undefined.
#include <cuda_runtime.h>
__global__ void sum(const float* x, float* out, int n) {
  __shared__ double warps[8];
  const int t = threadIdx.x;
  double v = 0;
  for (int i = t; i < n; i += 256) v += x[i];
  for (int step = 16; step > 0; step /= 2) v += __shfl_xor_sync(0xffffffffu, v, step);
  if (t % 32 == 0) warps[t / 32] = v;
  __syncthreads();
  v = t < 8 ? warps[t] : 0;
  if (t < 8) {
    for (int step = 16; step > 0; step /= 2) v += __shfl_down_sync(0xffu, v, step);
    if (t == 0) *out = (float)v;
  }
}
extern "C" void solve(const float* input, float* output, int N) {
  sum<<<1, 256>>>(input, output, N);
}
