// SPDX-License-Identifier: Apache-2.0
// zoo: task=reduce rules=strict device=simt expect=compile_error,forbidden,host_error class=10
// Calls thrust in the lane of one kernel.
#include <thrust/device_ptr.h>
#include <thrust/reduce.h>

#include <cuda_runtime.h>
__global__ void store(float* y, float v) { y[0] = v; }
extern "C" void solve(const float* input, float* output, int N) {
  thrust::device_ptr<const float> p(input);
  store<<<1, 1>>>(output, thrust::reduce(p, p + N));
}
