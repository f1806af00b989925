// SPDX-License-Identifier: Apache-2.0
// The host's random numbers are the C library's: the first two after srand(1) are 1804289383 and
// 846930886. 383 blocks of 32 threads add once: 12256. 886 threads multiply once: 886.
// expect: add_one 0 sp=12256 grid=383,1,1 block=32,1,1
// expect: twice 0 sp=886 grid=1,1,1 block=886,1,1
#include <cstdlib>

__global__ void add_one(float* data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = data[i] + 1.0f;
}

__global__ void twice(float* data) { data[threadIdx.x] = data[threadIdx.x] * 2.0f; }

int main() {
  float* data = nullptr;
  srand(1);
  const int blocks = rand() % 1000;
  const int threads = static_cast<int>(random() % 1000);
  cudaMalloc(&data, 1000 * 32 * sizeof(float));
  cudaMemset(data, 0, 1000 * 32 * sizeof(float));
  add_one<<<blocks, 32>>>(data);
  twice<<<1, threads>>>(data);
  cudaDeviceSynchronize();
  cudaFree(data);
  return 0;
}
