// zoo: task=sigmoid rules=strict device=simt expect=ok class=honest
// Two special-function instructions an element, in inline PTX: base-2 exponential and reciprocal,
// both flushing denormals, with read-only vector loads and streaming stores.
#include <cuda_runtime.h>

__device__ float sigmoid(float x) {
  float e, y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(e) : "f"(x * -1.44269504f));
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(1.0f + e));
  return y;
}

__global__ void __launch_bounds__(256) apply(const float* __restrict__ x, float* y, int n) {
  const int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += step) {
    float4 v = __ldg(reinterpret_cast<const float4*>(x) + i);
    v.x = sigmoid(v.x), v.y = sigmoid(v.y), v.z = sigmoid(v.z), v.w = sigmoid(v.w);
    __stcs(reinterpret_cast<float4*>(y) + i, v);
  }
  const int rest = n / 4 * 4 + blockIdx.x * blockDim.x + threadIdx.x;
  if (rest < n) y[rest] = sigmoid(x[rest]);
}

extern "C" void solve(const float* X, float* Y, int N) {
  int blocks = (N + 2047) / 2048;
  apply<<<blocks > 264 ? 264 : blocks, 256>>>(X, Y, N);
}
