// SPDX-License-Identifier: Apache-2.0
// The host writes managed memory, the kernel doubles it in place, the host reads it and launches
// one more thread per value that became 2: 10 products, then 5 sums of one thread each.
//
// expect: twice 0 sp=10
// expect: plus 0 sp=5
__global__ void twice(double* x, float* f) { f[threadIdx.x] = f[threadIdx.x] * 2.5f; }
__global__ void plus(float* f) { f[threadIdx.x] += 1.5f; }

int main() {
  float* f;
  cudaMallocManaged(&f, 10 * sizeof(float));
  for (int i = 0; i < 10; ++i) f[i] = i % 2;
  twice<<<1, 10>>>(nullptr, f);
  cudaDeviceSynchronize();
  int found = 0;
  for (int i = 0; i < 10; ++i) found += f[i] == 2.5f;
  plus<<<1, found>>>(f);
  return cudaDeviceSynchronize();
}
