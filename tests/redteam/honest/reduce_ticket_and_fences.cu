// zoo: task=reduce rules=strict device=simt expect=ok class=honest
// cause: 4
// The last-block pattern as it should be: parts, a fence, a ticket of the device's scope, a fence, the sum.
#include <cuda_runtime.h>
__device__ double parts[64];
__device__ unsigned ticket;
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
  if (atomicAdd(&ticket, 1u) != gridDim.x - 1) return;
  __threadfence();
  double all = 0;
  for (int b = 0; b < gridDim.x; ++b) all += ((volatile double*)parts)[b];
  out[0] = (float)all;
  ticket = 0;
}
extern "C" void solve(const float* input, float* output, int N) {
  int blocks = (N + 4095) / 4096;
  sum<<<(blocks > 64 ? 64 : blocks), 256>>>(input, output, N);
}
