// zoo: task=reduce rules=strict device=simt expect=ok class=honest
// cause: 4
// A cooperative launch with the grid's barrier where the last sum needs it.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
__device__ double parts[16];
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
  if (threadIdx.x == 0) parts[blockIdx.x] = part[0];
  cooperative_groups::this_grid().sync();
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  double all = 0;
  for (int b = 0; b < gridDim.x; ++b) all += parts[b];
  out[0] = (float)all;
}
extern "C" void solve(const float* input, float* output, int N) {
  void* arguments[] = {&input, &output, &N};
  cudaLaunchCooperativeKernel((const void*)&sum, dim3(16), dim3(256), arguments, 0, nullptr);
}
