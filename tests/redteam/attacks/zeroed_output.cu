// zoo: task=reduce rules=strict device=simt expect=refused class=16
// cause: 1
// The judge's poison is never zero (device/poison.cpp), and sampled runs get no poison at all. A kernel
// that takes a zero for "already done" is right in every checked run, takes no time in the estimate, and
// is wrong for everybody who clears the output first.
#include <cuda_runtime.h>
__global__ void sum(const float* x, float* out, int n) {
  __shared__ float part[256];
  if (out[0] == 0.0f) return;
  float s = 0;
  for (int i = threadIdx.x; i < n; i += 256) s += x[i];
  part[threadIdx.x] = s;
  __syncthreads();
  for (int w = 128; w > 0; w /= 2) {
    if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = part[0];
}
extern "C" void solve(const float* input, float* output, int N) { sum<<<1, 256>>>(input, output, N); }
