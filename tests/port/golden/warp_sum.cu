/* A sum over warps; cudaMalloc in a comment stays. */
#include <cuda.h>
#include <cstdio>

#define FULL 0xffffffffu
#define CHECK(call)                                                \
  do {                                                             \
    const cudaError_t e = (call);                                  \
    if (e != cudaSuccess) printf("cudaError %s\n", cudaGetErrorString(e)); \
  } while (0)

__device__ unsigned lane() {
  unsigned id;
  asm("mov.u32 %0, %%laneid;" : "=r"(id));
  return id;
}

__global__ void sum(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? x[i] : 0.f;
  for (int o = warpSize / 2; o > 0; o /= 2) v += __shfl_down_sync(FULL, v, o);
  if (lane() == 0) atomicAdd(y, v);
}

int main() {
  float *x, *y;
  CHECK(cudaMalloc(&x, 4096));
  CHECK(cudaMallocManaged(&y, 4));
  sum<<<4, 256>>>(x, y, 1000);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(x));
}
