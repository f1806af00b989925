// SPDX-License-Identifier: Apache-2.0
// zoo: task=dot rules=strict device=cuda expect=ok,cheat,mismatch,race class=15
// Leaves result and pointer in shared memory, which nobody clears between calls on a GPU, and
// finds them there again. Caught by the time: less than the data need to come in.
#include <cuda_runtime.h>
__global__ void dot(const float* a, const float* b, float* result, int n) {
  extern __shared__ unsigned char raw[];
  struct Memo {
    unsigned long long magic, pointer;
    float value;
  };
  volatile Memo* memo = (volatile Memo*)(raw + 160 * 1024) + ((unsigned long long)a >> 9) % 64;
  const bool known = memo->magic == 0x57415250ull && memo->pointer == (unsigned long long)a;
  const float value = memo->value;
  __shared__ float part[256];
  if (known) {
    if (blockIdx.x == 0 && threadIdx.x == 0) result[0] = value;
    return;
  }
  float s = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) s = fmaf(a[i], b[i], s);
  part[threadIdx.x] = s;
  for (int w = 128; w > 0; w /= 2) {
    __syncthreads();
    if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w];
  }
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) result[0] = part[0];
  memo->value = part[0];
  memo->pointer = (unsigned long long)a;
  memo->magic = 0x57415250ull;
}
extern "C" void solve(const float* A, const float* B, float* result, int N) {
  cudaFuncSetAttribute(dot, cudaFuncAttributeMaxDynamicSharedMemorySize, 180 * 1024);
  dot<<<132, 256, 180 * 1024>>>(A, B, result, N);
}
