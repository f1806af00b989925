// SPDX-License-Identifier: Apache-2.0
// zoo: task=copy rules=strict device=simt expect=forbidden class=10
// Leaves the copying to the runtime, in a task that asks for a kernel.
#include <cuda_runtime.h>
__global__ void copy(const float* a, float* b) { b[0] = a[0]; }
extern "C" void solve(const float* A, float* B, int N) {
  cudaMemcpyAsync(B, A, (size_t)N * N * sizeof(float), cudaMemcpyDeviceToDevice);
}
