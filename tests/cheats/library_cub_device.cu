// SPDX-License-Identifier: Apache-2.0
// zoo: task=reduce rules=strict device=simt expect=compile_error,forbidden,host_error class=10
// Calls device-wide CUB in the lane of one kernel.
#include <cub/cub.cuh>

#include <cuda_runtime.h>
extern "C" void solve(const float* input, float* output, int N) {
  size_t bytes = 0;
  cub::DeviceReduce::Sum(nullptr, bytes, input, output, N);
  void* scratch = nullptr;
  cudaMalloc(&scratch, bytes);
  cub::DeviceReduce::Sum(scratch, bytes, input, output, N);
}
