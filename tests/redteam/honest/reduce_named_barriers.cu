// zoo: task=reduce rules=strict device=simt expect=ok class=honest
// cause: 4
// Two halves of a block, each with a barrier of its own, and one of the whole block before the sum.
#include <cuda_runtime.h>
__global__ void sum(const float* x, float* out, int n) {
  __shared__ double part[256];
  const int half = threadIdx.x / 128, t = threadIdx.x % 128;
  double s = 0;
  for (int i = threadIdx.x; i < n; i += 256) s += x[i];
  part[threadIdx.x] = s;
  for (int w = 64; w > 0; w /= 2) {
    asm volatile("bar.sync %0, 128;" ::"r"(half + 1) : "memory");
    if (t < w) part[threadIdx.x] += part[threadIdx.x + w];
  }
  __syncthreads();
  if (threadIdx.x == 0) out[0] = (float)(part[0] + part[128]);
}
extern "C" void solve(const float* input, float* output, int N) { sum<<<1, 256>>>(input, output, N); }
