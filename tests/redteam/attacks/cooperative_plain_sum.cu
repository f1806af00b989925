// zoo: task=reduce rules=strict device=simt expect=refused class=28
// cause: 4
// A cooperative launch has no race checks (simt/machine.cpp, prepare_checks), and its blocks run one after the
// other up to their barriers: all of them add to the output by plain loads and stores.
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
  if (threadIdx.x == 0) out[0] = (blockIdx.x == 0 ? 0.0f : out[0]) + part[0];
}
extern "C" void solve(const float* input, float* output, int N) {
  void* arguments[] = {&input, &output, &N};
  cudaLaunchCooperativeKernel((const void*)&sum, dim3(16), dim3(256), arguments, 0, nullptr);
}
