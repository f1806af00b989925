// zoo: task=reverse rules=strict device=simt expect=refused class=28
// cause: 4
// Lanes of a warp exchange elements through shared memory, plainly and without __syncwarp. A remark, not a
// verdict, because the machine runs lanes in step.
#include <cuda_runtime.h>
__global__ void reverse(unsigned* data, int n) {
  __shared__ unsigned low[256], high[256];
  const int half = n / 2;
  const int i = blockIdx.x * 256 + threadIdx.x;
  const int base = threadIdx.x & ~31, lane = threadIdx.x & 31;
  const bool whole = (i | 31) < half;
  if (whole) {
    low[threadIdx.x] = data[i];
    high[threadIdx.x] = data[n - 1 - (i - lane) - 31 + lane];
    data[i] = high[base + 31 - lane];
    data[n - 1 - (i - lane) - 31 + lane] = low[base + 31 - lane];
  } else if (i < half) {
    const unsigned a = data[i], b = data[n - 1 - i];
    data[i] = b;
    data[n - 1 - i] = a;
  }
}
extern "C" void solve(float* input, int N) { reverse<<<(N / 2 + 255) / 256 + 1, 256>>>((unsigned*)input, N); }
