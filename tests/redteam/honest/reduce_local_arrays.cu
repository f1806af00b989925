// zoo: task=reduce rules=strict device=simt expect=ok class=honest
// cause: 4
// Arrays in local and shared memory side by side, indexed by data and always within their bounds.
#include <cuda_runtime.h>
__global__ void sum(const float* x, float* out, int n) {
  __shared__ double low[128];
  __shared__ double high[128];
  double a[8], b[8];
  for (int k = 0; k < 8; ++k) a[k] = b[k] = 0;
  for (int i = threadIdx.x; i < n; i += 256) {
    const int k = (i >> 8) & 15;
    if (k < 8)
      a[k] += x[i];
    else
      b[k - 8] += x[i];
  }
  double s = 0;
  for (int k = 0; k < 8; ++k) s += a[k] + b[k];
  (threadIdx.x < 128 ? low : high)[threadIdx.x % 128] = s;
  __syncthreads();
  if (threadIdx.x != 0) return;
  double all = 0;
  for (int i = 0; i < 128; ++i) all += low[i] + high[i];
  out[0] = (float)all;
}
extern "C" void solve(const float* input, float* output, int N) { sum<<<1, 256>>>(input, output, N); }
