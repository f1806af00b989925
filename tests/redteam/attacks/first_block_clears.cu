// zoo: task=reduce rules=strict device=simt expect=refused class=28
// cause: 4
// Block 0 clears the output behind a fence, the others add to it: right while block 0 runs first.
#include <cuda_runtime.h>
__global__ void sum(const float* x, float* out, int n) {
  __shared__ float part[256];
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    out[0] = 0;
    __threadfence();
  }
  float s = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) s += x[i];
  part[threadIdx.x] = s;
  __syncthreads();
  for (int w = 128; w > 0; w /= 2) {
    if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, part[0]);
}
extern "C" void solve(const float* input, float* output, int N) { sum<<<(N < 7 ? 1 : 7), 256>>>(input, output, N); }
