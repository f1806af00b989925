// zoo: task=reduce rules=strict device=simt expect=ok class=honest
// cause: 3
// What a host keeps from its first call to the next is what does not change: the device's attributes.
#include <cuda_runtime.h>
__global__ void sum(const float* x, float* out, int n) {
  double s = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) s += x[i];
  __shared__ double part[256];
  part[threadIdx.x] = s;
  __syncthreads();
  for (int w = 128; w > 0; w /= 2) {
    if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, (float)part[0]);
}
static int processors = 0;
extern "C" void solve(const float* input, float* output, int N) {
  if (processors == 0) cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
  int blocks = (N + 2047) / 2048;
  if (blocks > processors) blocks = processors;
  cudaMemsetAsync(output, 0, 4);
  sum<<<blocks, 256>>>(input, output, N);
}
