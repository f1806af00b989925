// zoo: task=dot rules=strict device=simt expect=refused class=28
// cause: 4
// The same hole for a read: the last block of a cooperative launch adds up the others' parts without the
// grid-wide barrier that the launch is for.
#include <cuda_runtime.h>
__device__ double parts[32];
__global__ void dot(const float* a, const float* b, float* result, int n) {
  __shared__ double part[256];
  double s = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) s += (double)a[i] * b[i];
  part[threadIdx.x] = s;
  __syncthreads();
  for (int w = 128; w > 0; w /= 2) {
    if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = part[0];
  if (blockIdx.x != gridDim.x - 1) return;
  double all = 0;
  for (int i = 0; i < gridDim.x; ++i) all += parts[i];
  result[0] = (float)all;
}
extern "C" void solve(const float* A, const float* B, float* result, int N) {
  void* arguments[] = {&A, &B, &result, &N};
  cudaLaunchCooperativeKernel((const void*)&dot, dim3(32), dim3(256), arguments, 0, nullptr);
}
