// SPDX-License-Identifier: Apache-2.0
// An image is written by a kernel, changed in place by another and read back by the host: 32
// products, then 32 sums, then as many threads as the host finds elements above 20 (8).
//
// expect: write 0 sp=32 bytes=128
// expect: change 0 sp=32 bytes=256
// expect: found 0 sp=8
__global__ void write(cudaSurfaceObject_t image) {
  surf2Dwrite(threadIdx.x * 1.5f, image, threadIdx.x * 4, blockIdx.x);
}
__global__ void change(cudaSurfaceObject_t image) {
  float value;
  surf2Dread(&value, image, threadIdx.x * 4, blockIdx.x);
  surf2Dwrite(value + 11.25f, image, threadIdx.x * 4, blockIdx.x, cudaBoundaryModeClamp);
}
__global__ void found(float* out) { out[threadIdx.x] = threadIdx.x * 2.5f; }

int main() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  if (cudaMallocArray(&array, &format, 8, 4, cudaArraySurfaceLoadStore) != cudaSuccess) return 1;
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t image = 0;
  if (cudaCreateSurfaceObject(&image, &resource) != cudaSuccess) return 2;
  write<<<4, 8>>>(image);
  change<<<4, 8>>>(image);
  float back[32];
  cudaMemcpy2DFromArray(back, 32, array, 0, 0, 32, 4, cudaMemcpyDeviceToHost);
  int count = 0;
  for (int i = 0; i < 32; ++i) {
    if (back[i] != (i % 8) * 1.5f + 11.25f) return 3;
    count += back[i] > 20;
  }
  float* out;
  cudaMalloc(&out, 32 * sizeof(float));
  found<<<1, count>>>(out);
  cudaDestroySurfaceObject(image);
  cudaFreeArray(array);
  return cudaDeviceSynchronize();
}
