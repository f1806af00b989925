// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>
#include <cuda_runtime.h>

// One block per row: one pass for the largest magnitude, one to round.
__global__ void quantise(const __half* x, signed char* q, float* scale, int c) {
  __shared__ float shared[256];
  const __half* row = x + (size_t)blockIdx.x * c;
  float largest = 0.0f;
  for (int i = threadIdx.x; i < c; i += blockDim.x) largest = fmaxf(largest, fabsf(__half2float(row[i])));
  shared[threadIdx.x] = largest;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] = fmaxf(shared[threadIdx.x], shared[threadIdx.x + half]);
    __syncthreads();
  }
  const float step = shared[0] > 0.0f ? shared[0] / 127.0f : 1.0f;
  if (threadIdx.x == 0) scale[blockIdx.x] = step;
  for (int i = threadIdx.x; i < c; i += blockDim.x) {
    const float value = rintf(__half2float(row[i]) / step);
    q[(size_t)blockIdx.x * c + i] = (signed char)fminf(fmaxf(value, -127.0f), 127.0f);
  }
}

extern "C" void solve(const __half* x, signed char* q, float* scale, int N, int C) {
  quantise<<<N, 256>>>(x, q, scale, C);
}
