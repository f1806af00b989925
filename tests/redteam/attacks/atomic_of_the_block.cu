// zoo: task=reduce rules=strict device=simt expect=refused class=28
// cause: 4
// atomicAdd_block is atomic among the threads of one block only. All blocks add with it to one word; for the
// machine an atomic is an atomic.
#include <cuda_runtime.h>
__global__ void sum(const float* x, float* out, int n) {
  __shared__ float part[256];
  float s = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) s += x[i];
  part[threadIdx.x] = s;
  __syncthreads();
  for (int w = 128; w > 0; w /= 2) {
    if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd_block(out, part[0]);
}
extern "C" void solve(const float* input, float* output, int N) {
  cudaMemsetAsync(output, 0, 4);
  sum<<<(N + 4095) / 4096, 256>>>(input, output, N);
}
