// zoo: task=mha rules=strict device=simt expect=ok class=honest
// Online softmax, a warp per query and head: each lane keeps the columns lane, lane + 32, ... of
// the output in registers (heads up to 256 wide), keys arrive by tiles in dynamic shared memory.
#include <cuda_runtime.h>

constexpr int kWarps = 4, kKeys = 16, kMost = 8;
extern __shared__ float memory[];

__global__ void __launch_bounds__(kWarps * 32)
    attend(const float* Q, const float* K, const float* V, float* out, int n, int d_model, int d_k) {
  float* keys = memory;
  float* values = memory + kKeys * d_k;
  const int lane = threadIdx.x % 32, query = blockIdx.x * kWarps + threadIdx.x / 32;
  const int column = blockIdx.y * d_k;
  const float scale = 1.0f / sqrtf((float)d_k);
  float q[kMost], o[kMost];
#pragma unroll
  for (int k = 0; k < kMost; ++k) {
    const int j = lane + 32 * k;
    q[k] = query < n && j < d_k ? Q[(size_t)query * d_model + column + j] * scale : 0.0f;
    o[k] = 0;
  }
  float m = -INFINITY, sum = 0;
  for (int first = 0; first < n; first += kKeys) {
    __syncthreads();
    for (int i = threadIdx.x; i < kKeys * d_k; i += kWarps * 32) {
      const int row = first + i / d_k, j = i % d_k;
      keys[i] = row < n ? K[(size_t)row * d_model + column + j] : 0.0f;
      values[i] = row < n ? V[(size_t)row * d_model + column + j] : 0.0f;
    }
    __syncthreads();
    for (int r = 0; r < kKeys && first + r < n; ++r) {
      float s = 0;
#pragma unroll
      for (int k = 0; k < kMost; ++k)
        if (lane + 32 * k < d_k) s = fmaf(q[k], keys[r * d_k + lane + 32 * k], s);
      for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(~0u, s, d);
      const float top = fmaxf(m, s), shrink = expf(m - top), p = expf(s - top);
      sum = sum * shrink + p;
#pragma unroll
      for (int k = 0; k < kMost; ++k)
        if (lane + 32 * k < d_k) o[k] = o[k] * shrink + p * values[r * d_k + lane + 32 * k];
      m = top;
    }
  }
  if (query >= n) return;
#pragma unroll
  for (int k = 0; k < kMost; ++k)
    if (lane + 32 * k < d_k)
      out[(size_t)query * d_model + column + lane + 32 * k] = o[k] / sum;
}

extern "C" void solve(const float* Q, const float* K, const float* V, float* output, int N,
                      int d_model, int h) {
  const int d_k = d_model / h;
  const size_t bytes = 2 * sizeof(float) * kKeys * d_k;
  cudaFuncSetAttribute(attend, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
  attend<<<dim3((N + kWarps - 1) / kWarps, h), kWarps * 32, bytes>>>(Q, K, V, output, N, d_model,
                                                                      d_k);
}
