// zoo: task=reduce rules=strict device=simt expect=ok class=honest
// cause: 1
// Reads its output before it is written, rightly: a memset of its own has cleared it, and a later block finds
// zero or a sum there.
#include <cuda_runtime.h>
__global__ void sum(const float* x, float* out, int n) {
  float s = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) s += x[i];
  for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(~0u, s, d);
  __shared__ float part[8];
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int w = 1; w < 8; ++w) part[0] += part[w];
  atomicAdd(out, part[0]);
}
extern "C" void solve(const float* input, float* output, int N) {
  const int blocks = (N + 2047) / 2048;
  cudaMemsetAsync(output, 0, sizeof(float));
  sum<<<(blocks < 256 ? blocks : 256), 256>>>(input, output, N);
}
