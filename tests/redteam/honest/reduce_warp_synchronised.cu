// zoo: task=reduce rules=strict device=simt expect=ok class=honest
// cause: 4
// The last steps of a tree within a warp, through shared memory, with __syncwarp between reads and writes.
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
  if (threadIdx.x >= 32) return;
  double v = part[threadIdx.x];
  for (int w = 16; w > 0; w /= 2) {
    const double other = threadIdx.x + w < 32 ? part[threadIdx.x + w] : 0;
    __syncwarp();
    v += other;
    part[threadIdx.x] = v;
    __syncwarp();
  }
  if (threadIdx.x == 0) out[0] = (float)v;
}
extern "C" void solve(const float* input, float* output, int N) { sum<<<1, 256>>>(input, output, N); }
