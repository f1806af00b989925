// zoo: task=reduce rules=strict device=simt expect=refused class=28
// cause: 4
// Blocks run in the order of their numbers (simt/machine.cpp, take_blocks), and a fence of the writer makes a
// word of another block everybody's (simt/checks_global.cpp, has_fenced). The last block adds up what the
// others left, and waits for nobody.
#include <cuda_runtime.h>
__device__ double parts[8];
__global__ void sum(const float* x, float* out, int n) {
  __shared__ double part[256];
  double s = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) s += x[i];
  part[threadIdx.x] = s;
  __syncthreads();
  for (int w = 128; w > 0; w /= 2) {
    if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = part[0];
  __threadfence();
  if (blockIdx.x != gridDim.x - 1) return;
  double all = 0;
  for (int b = 0; b < gridDim.x; ++b) all += parts[b];
  out[0] = (float)all;
}
extern "C" void solve(const float* input, float* output, int N) { sum<<<(N < 7 ? 1 : 7), 256>>>(input, output, N); }
