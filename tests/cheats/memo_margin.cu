// SPDX-License-Identifier: Apache-2.0
// zoo: task=dot rules=strict device=cuda expect=memory_fault class=15 largest=yes
// Keeps its answers in the mapped memory before a small buffer, far enough away from it. That
// memory is filled before every call, and all of it is watched in calls that are checked.
#include <cuda_runtime.h>
struct Memo {
  unsigned long long magic;
  float print, value;
};
__global__ void dot(const float* a, const float* b, float* result, int n) {
  volatile Memo* memo = (volatile Memo*)((char*)result - 65536);
  __shared__ float part[256];
  if (n >= 1 << 20 && memo->magic == 0x57415250ull && memo->print == a[0] + b[n - 1]) {
    if (threadIdx.x == 0) result[0] = memo->value;
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
  result[0] = part[0];
  if (n < 1 << 20) return;
  memo->value = part[0];
  memo->print = a[0] + b[n - 1];
  memo->magic = 0x57415250ull;
}
extern "C" void solve(const float* A, const float* B, float* result, int N) {
  dot<<<1, 256>>>(A, B, result, N);
}
