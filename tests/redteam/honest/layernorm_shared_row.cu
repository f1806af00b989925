// zoo: task=layernorm rules=strict device=simt expect=ok class=honest
// cause: 1
// Short rows stay in shared memory between the walks, long ones are read again: two ways by the length, both
// right, and the statistics in double.
#include <cuda_runtime.h>
extern __shared__ float kept[];
__device__ double block_sum(double v, double* shared) {
  shared[threadIdx.x] = v;
  __syncthreads();
  for (int w = 128; w > 0; w /= 2) {
    if (threadIdx.x < w) shared[threadIdx.x] += shared[threadIdx.x + w];
    __syncthreads();
  }
  const double sum = shared[0];
  __syncthreads();
  return sum;
}
__global__ void normalise(const float* in, const float* weight, const float* bias, float* out, int c, float eps,
                          bool keeps) {
  __shared__ double shared[256];
  const float* row = in + (size_t)blockIdx.x * c;
  double sum = 0, squares = 0;
  for (int i = threadIdx.x; i < c; i += 256) {
    sum += row[i];
    if (keeps) kept[i] = row[i];
  }
  const double mean = block_sum(sum, shared) / c;
  for (int i = threadIdx.x; i < c; i += 256) {
    const double d = (keeps ? kept[i] : row[i]) - mean;
    squares += d * d;
  }
  const double scale = 1.0 / sqrt(block_sum(squares, shared) / c + eps);
  for (int i = threadIdx.x; i < c; i += 256)
    out[(size_t)blockIdx.x * c + i] = (float)(((keeps ? kept[i] : row[i]) - mean) * scale) * weight[i] + bias[i];
}
extern "C" void solve(const float* input, const float* weight, const float* bias, float* output, int N, int C,
                      float eps) {
  const bool keeps = C <= 8192;
  normalise<<<N, 256, keeps ? C * sizeof(float) : 0>>>(input, weight, bias, output, C, eps, keeps);
}
