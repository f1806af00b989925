// zoo: task=topk rules=strict device=simt expect=ok class=honest
// cause: 2
// Finds the k-th largest value bit by bit, for any k and any distribution; then gathers what lies above it,
// fills up with equal values, and puts the k values in order by counting ranks.
#include <cuda_runtime.h>
__device__ unsigned key_of(float v) {
  const unsigned bits = __float_as_uint(v);
  return bits ^ ((bits >> 31) != 0 ? 0xFFFFFFFFu : 0x80000000u);
}
__device__ float value_of(unsigned key) {
  return __uint_as_float(key ^ ((key >> 31) != 0 ? 0x80000000u : 0xFFFFFFFFu));
}
__global__ void top(const float* in, float* out, float* kept, int n, int k) {
  __shared__ int count;
  unsigned least = 0;
  for (int bit = 31; bit >= 0; --bit) {
    const unsigned tried = least | 1u << bit;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    int mine = 0;
    for (int i = threadIdx.x; i < n; i += 512) mine += key_of(in[i]) >= tried ? 1 : 0;
    for (int d = 16; d > 0; d /= 2) mine += __shfl_down_sync(~0u, mine, d);
    if (threadIdx.x % 32 == 0) atomicAdd(&count, mine);
    __syncthreads();
    if (count >= k) least = tried;
    __syncthreads();
  }
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += 512)
    if (key_of(in[i]) > least) kept[atomicAdd(&count, 1)] = in[i];
  __syncthreads();
  const int above = count;
  for (int i = threadIdx.x; i < above; i += 512) {
    int rank = 0;
    for (int j = 0; j < above; ++j) {
      const unsigned a = key_of(kept[j]), b = key_of(kept[i]);
      rank += a > b || (a == b && j < i) ? 1 : 0;
    }
    out[rank] = kept[i];
  }
  for (int i = above + threadIdx.x; i < k; i += 512) out[i] = value_of(least);
}
extern "C" void solve(const float* input, float* output, int N, int k) {
  float* kept = nullptr;
  cudaMalloc(&kept, (size_t)k * sizeof(float));
  top<<<1, 512>>>(input, output, kept, N, k);
  cudaFree(kept);
}
