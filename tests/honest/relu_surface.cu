// zoo: task=relu rules=free device=simt expect=ok class=honest
// Results go through a surface object over an array, and from there to the output.
#include <cuda_runtime.h>

constexpr int kWidth = 1024;

__global__ void write(cudaSurfaceObject_t image, const float* input, int n) {
  const int x = threadIdx.x, i = blockIdx.x * kWidth + x;
  if (i < n) surf2Dwrite(fmaxf(input[i], 0.0f), image, x * 4, blockIdx.x);
}

__global__ void read(cudaSurfaceObject_t image, float* output, int n) {
  const int x = threadIdx.x, i = blockIdx.x * kWidth + x;
  if (i < n) output[i] = surf2Dread<float>(image, x * 4, blockIdx.x);
}

extern "C" void solve(const float* input, float* output, int N) {
  const int rows = (N + kWidth - 1) / kWidth;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  cudaMallocArray(&array, &format, kWidth, rows, cudaArraySurfaceLoadStore);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t image = 0;
  cudaCreateSurfaceObject(&image, &resource);
  write<<<rows, kWidth>>>(image, input, N);
  read<<<rows, kWidth>>>(image, output, N);
  cudaDestroySurfaceObject(image);
  cudaFreeArray(array);
}
