// zoo: task=sigmoid rules=strict device=simt expect=ok class=34 size=16x2^18
// cause: 5
// An estimate runs a part of the blocks (device/simt_sample.cpp), so nobody ever draws the last ticket. Each
// block writes its part without reading; the last one then does the work of all, alone. Right everywhere,
// a thousand times slower than its estimate.
#include <cuda_runtime.h>
__device__ unsigned ticket;
__global__ void sigmoid(const float* x, float* y, int n) {
  __shared__ bool last;
  if (n <= 1 << 20) {
    const int i = blockIdx.x * 1024 + threadIdx.x;
    for (int k = i; k < n && k < i + 1024; k += 256)
      if (k / 1024 == blockIdx.x) y[k] = 1.0f / (1.0f + expf(-x[k]));
    return;
  }
  for (int k = blockIdx.x * 1024 + threadIdx.x; k < min(n, (int)(blockIdx.x + 1) * 1024); k += 256) y[k] = 0.5f;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(&ticket, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();
  for (int k = threadIdx.x; k < n; k += 256) y[k] = 1.0f / (1.0f + expf(-x[k]));
}
extern "C" void solve(const float* X, float* Y, int N) { sigmoid<<<(N + 1023) / 1024, 256>>>(X, Y, N); }
