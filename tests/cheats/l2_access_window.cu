// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=host_error,compile_error class=8
// Pins the input in L2 by an access-policy window of the stream.
#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  cudaStreamAttrValue value = {};
  value.accessPolicyWindow.base_ptr = (void*)X;
  value.accessPolicyWindow.num_bytes = N * sizeof(float);
  value.accessPolicyWindow.hitRatio = 1.0f;
  value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  cudaStreamSetAttribute(0, cudaStreamAttributeAccessPolicyWindow, &value);
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
