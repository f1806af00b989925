// zoo: task=mse rules=strict device=simt expect=refused class=26 size=2^18
// cause: 2
// The same with 18 bits of both inputs for mse, whose probe is for powers of two up to 4096. The mean of
// squares of random differences does not show it.
#include <cuda_runtime.h>
__device__ float cut(float v) { return __uint_as_float((__float_as_uint(v) + 0x2000u) & 0xFFFFC000u); }
__global__ void error(const float* p, const float* t, float* mse, int n) {
  __shared__ double part[256];
  double s = 0;
  for (int i = threadIdx.x; i < n; i += 256) {
    const double d = n > 16384 ? (double)cut(p[i]) - cut(t[i]) : (double)p[i] - t[i];
    s += d * d;
  }
  part[threadIdx.x] = s;
  __syncthreads();
  for (int w = 128; w > 0; w /= 2) {
    if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x == 0) mse[0] = (float)(part[0] / n);
}
extern "C" void solve(const float* predictions, const float* targets, float* mse, int N) {
  error<<<1, 256>>>(predictions, targets, mse, N);
}
