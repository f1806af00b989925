// zoo: task=layernorm rules=strict device=simt expect=ok class=honest
// Long rows are shared by many blocks: the kernel is launched three times with a stage number,
// for the means, the deviations from them, and the result; sums in double.
#include <cuda_runtime.h>

constexpr int kThreads = 256, kChunk = 4096;

__device__ double block_sum(double v) {
  __shared__ double cells[kThreads / 32];
#pragma unroll
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);
  if (threadIdx.x % 32 == 0) cells[threadIdx.x / 32] = v;
  __syncthreads();
  v = 0;
#pragma unroll
  for (int w = 0; w < kThreads / 32; ++w) v += cells[w];
  return v;
}

__global__ void __launch_bounds__(kThreads)
    normalise(const float* in, const float* weight, const float* bias, float* out, double* sums,
              int c, float eps, int stage) {
  const float* row = in + (size_t)blockIdx.y * c;
  double* sum = sums + 2 * blockIdx.y;
  const int first = blockIdx.x * kChunk, last = min(first + kChunk, c);
  if (stage == 0) {
    double v = 0;
    for (int i = first + threadIdx.x; i < last; i += kThreads) v += row[i];
    v = block_sum(v);
    if (threadIdx.x == 0) atomicAdd(&sum[0], v);
    return;
  }
  const double mean = sum[0] / c;
  if (stage == 1) {
    double v = 0;
    for (int i = first + threadIdx.x; i < last; i += kThreads) {
      const double d = row[i] - mean;
      v += d * d;
    }
    v = block_sum(v);
    if (threadIdx.x == 0) atomicAdd(&sum[1], v);
    return;
  }
  const float scale = (float)(1.0 / sqrt(sum[1] / c + eps));
  for (int i = first + threadIdx.x; i < last; i += kThreads)
    out[(size_t)blockIdx.y * c + i] = (float)(row[i] - mean) * scale * weight[i] + bias[i];
}

extern "C" void solve(const float* input, const float* weight, const float* bias, float* output,
                      int N, int C, float eps) {
  double* sums;
  cudaMalloc(&sums, 2 * sizeof(double) * N);
  cudaMemset(sums, 0, 2 * sizeof(double) * N);
  for (int stage = 0; stage < 3; ++stage)
    normalise<<<dim3((C + kChunk - 1) / kChunk, N), kThreads>>>(input, weight, bias, output, sums, C,
                                                                eps, stage);
  cudaFree(sums);
}
