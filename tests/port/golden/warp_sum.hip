/* A sum over warps; cudaMalloc in a comment stays. */
#include "warpwright_hip.h"
#include <hip/hip_runtime.h>
#include <cstdio>

#define FULL 0xffffffffu
#define CHECK(call)                                                \
  do {                                                             \
    const hipError_t e = (call);                                  \
    if (e != hipSuccess) printf("cudaError %s\n", hipGetErrorString(e)); \
  } while (0)

__device__ unsigned lane() {
  unsigned id;
  do { ww_set((id), ww_as<unsigned int>(ww_lane_id())); } while (0);
  return id;
}

__global__ void sum(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? x[i] : 0.f;
  for (int o = WW_WARP_SIZE / 2; o > 0; o /= 2) v += ww_shfl_down_sync(FULL, v, o);
  if (lane() == 0) atomicAdd(y, v);
}

int main() {
  float *x, *y;
  CHECK(hipMalloc(&x, 4096));
  CHECK(hipMallocManaged(&y, 4));
  sum<<<4, 256>>>(x, y, 1000);
  CHECK(hipDeviceSynchronize());
  CHECK(hipFree(x));
}
