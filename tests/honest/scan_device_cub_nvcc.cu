// zoo: task=scan rules=free device=simt expect=ok class=honest
// cub::DeviceScan of the toolkit: the size of the scratch is asked for first, then allocated.
#include <cub/cub.cuh>
#include <cuda_runtime.h>

extern "C" void solve(const float* input, float* output, int N) {
  void* scratch = nullptr;
  size_t bytes = 0;
  cub::DeviceScan::InclusiveSum(scratch, bytes, input, output, N);
  cudaMalloc(&scratch, bytes);
  cub::DeviceScan::InclusiveSum(scratch, bytes, input, output, N);
  cudaFree(scratch);
}
