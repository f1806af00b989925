// zoo: task=reduce rules=strict device=simt expect=refused class=28
// cause: 4
// The last steps of the tree rely on a warp that runs in step, as before 2017: no __syncwarp between what lanes
// write and what others read. The machine knows (warp_race) and only remarks it (device/simt_findings.cpp).
#include <cuda_runtime.h>
__global__ void sum(const float* x, float* out, int n) {
  __shared__ double part[256];
  double s = 0;
  for (int i = threadIdx.x; i < n; i += 256) s += x[i];
  part[threadIdx.x] = s;
  __syncthreads();
  for (int w = 128; w > 16; w /= 2) {
    if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x < 32) {
    volatile double* p = part;
    for (int w = 16; w > 0; w /= 2) p[threadIdx.x] = p[threadIdx.x] + p[threadIdx.x + w];
  }
  if (threadIdx.x == 0) out[0] = (float)part[0];
}
extern "C" void solve(const float* input, float* output, int N) { sum<<<1, 256>>>(input, output, N); }
