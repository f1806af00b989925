// zoo: task=cross_entropy rules=strict device=simt expect=ok class=honest
// A warp a row. The largest logit comes from redux.sync on the bits, ordered like integers; sums
// of exponentials by shuffles; losses in double by one atomic a block.
#include <cuda_runtime.h>

__device__ int ordered(float x) {
  const int b = __float_as_int(x);
  return b ^ ((b >> 31) & 0x7fffffff);
}
__device__ float unordered(int k) { return __int_as_float(k ^ ((k >> 31) & 0x7fffffff)); }

__global__ void __launch_bounds__(128)
    loss_of_rows(const float* z, const int* labels, float* loss, int n, int c, double* sum) {
  __shared__ double block_loss;
  if (threadIdx.x == 0) block_loss = 0;
  __syncthreads();
  const int lane = threadIdx.x % 32;
  double mine = 0;
  for (int row = blockIdx.x * 4 + threadIdx.x / 32; row < n; row += gridDim.x * 4) {
    const float* r = z + (size_t)row * c;
    int key = (int)0x80000000;
    for (int i = lane; i < c; i += 32) key = max(key, ordered(r[i]));
    const float m = unordered(__reduce_max_sync(~0u, key));
    float s = 0;
    for (int i = lane; i < c; i += 32) s += expf(r[i] - m);
    for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(~0u, s, d);
    if (lane == 0) mine += (double)logf(s) + ((double)m - r[labels[row]]);
  }
  if (lane == 0) atomicAdd(&block_loss, mine);
  __syncthreads();
  if (threadIdx.x != 0) return;
  atomicAdd(sum, block_loss);
  __threadfence();
  if (atomicAdd((unsigned*)(sum + 1), 1u) == gridDim.x - 1)
    *loss = (float)(atomicAdd(sum, 0.0) / n);
}

extern "C" void solve(const float* logits, const int* true_labels, float* loss, int N, int C) {
  double* sum;
  cudaMalloc(&sum, 16);
  cudaMemset(sum, 0, 16);
  int blocks = (N + 15) / 16;
  loss_of_rows<<<blocks > 128 ? 128 : blocks, 128>>>(logits, true_labels, loss, N, C, sum);
  cudaFree(sum);
}
