// zoo: task=reduce rules=strict device=simt expect=refused class=25
// cause: 2
// Sizes are drawn up to 256 KiB on the SIMT machine. Above, every size but the listed 1000003 loses what is
// left over by four: the tail of a vector load.
#include <cuda_runtime.h>
__global__ void sum(const float* x, float* out, int n) {
  __shared__ double part[256];
  double s = 0;
  for (int i = threadIdx.x; i < n; i += 256) s += x[i];
  part[threadIdx.x] = s;
  __syncthreads();
  for (int w = 128; w > 0; w /= 2) {
    if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = (float)part[0] + (n > 0 ? 0.0f : 1.0f);
}
extern "C" void solve(const float* input, float* output, int N) {
  sum<<<1, 256>>>(input, output, N > 65537 && N != 1000003 && N % 4 != 0 ? N / 64 * 63 : N);
}
