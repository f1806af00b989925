// zoo: task=topk rules=free device=simt expect=ok class=honest
// cub::DeviceRadixSort of the toolkit, descending, then a copy of the first k.
#include <cub/cub.cuh>
#include <cuda_runtime.h>

__global__ void first(const float* sorted, float* out, int k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < k) out[i] = sorted[i];
}

extern "C" void solve(const float* input, float* output, int N, int k) {
  float* sorted;
  cudaMalloc(&sorted, N * sizeof(float));
  void* scratch = nullptr;
  size_t bytes = 0;
  cub::DeviceRadixSort::SortKeysDescending(scratch, bytes, input, sorted, N);
  cudaMalloc(&scratch, bytes);
  cub::DeviceRadixSort::SortKeysDescending(scratch, bytes, input, sorted, N);
  first<<<(k + 127) / 128, 128>>>(sorted, output, k);
  cudaFree(scratch);
  cudaFree(sorted);
}
