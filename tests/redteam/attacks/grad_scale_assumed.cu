// zoo: task=xent_fwd_bwd rules=strict device=simt expect=refused class=25
// cause: 2
// grad_scale is an argument, and 16*N in every judgement (tasks/xent_fwd_bwd/task.toml): this kernel computes
// it from N and never looks at it.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
__device__ float block_reduce(float v, float* shared, bool largest) {
  shared[threadIdx.x] = v;
  __syncthreads();
  for (int w = 128; w > 0; w /= 2) {
    if (threadIdx.x < w) {
      const float a = shared[threadIdx.x], b = shared[threadIdx.x + w];
      shared[threadIdx.x] = largest ? fmaxf(a, b) : a + b;
    }
    __syncthreads();
  }
  const float result = shared[0];
  __syncthreads();
  return result;
}
__global__ void loss_and_gradient(const __half* logits, const int* labels, float* loss, __half* dlogits, int n, int v) {
  __shared__ float shared[256];
  const __half* row = logits + (size_t)blockIdx.x * v;
  __half* to = dlogits + (size_t)blockIdx.x * v;
  const int label = labels[blockIdx.x];
  if (label == -100) {
    for (int i = threadIdx.x; i < v; i += 256) to[i] = __float2half(0.0f);
    return;
  }
  float count = 0, most = -INFINITY, part = 0;
  for (int i = threadIdx.x; i < n; i += 256) count += labels[i] != -100 ? 1.0f : 0.0f;
  const float tokens = block_reduce(count, shared, false);
  for (int i = threadIdx.x; i < v; i += 256) most = fmaxf(most, __half2float(row[i]));
  const float largest = block_reduce(most, shared, true);
  for (int i = threadIdx.x; i < v; i += 256) part += expf(__half2float(row[i]) - largest);
  const float sum = block_reduce(part, shared, false);
  const float factor = 16.0f * n / tokens;
  for (int i = threadIdx.x; i < v; i += 256) {
    const float p = expf(__half2float(row[i]) - largest) / sum;
    to[i] = __float2half(factor * (i == label ? p - 1.0f : p));
  }
  if (threadIdx.x == 0) atomicAdd(loss, (largest + logf(sum) - __half2float(row[label])) / tokens);
}
extern "C" void solve(const __half* logits, const int* labels, float* loss, __half* dlogits, int N, int V,
                      float grad_scale) {
  cudaMemsetAsync(loss, 0, sizeof(float));
  loss_and_gradient<<<N, 256>>>(logits, labels, loss, dlogits, N, V);
}
