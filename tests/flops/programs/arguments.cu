// SPDX-License-Identifier: Apache-2.0
// The command line says how many: `--run "300 2"` launches twice over 300 elements.
// run: 300 2
// expect: add 0 sp=300
// expect: add 1 sp=300
// expect-not: add 2
#include <cstdlib>

__global__ void add(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 1.25f;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const int n = std::atoi(argv[1]), times = std::atoi(argv[2]);
  float* x;
  cudaMalloc(&x, n * sizeof(float));
  for (int i = 0; i < times; ++i) add<<<(n + 63) / 64, 64>>>(x, n);
  return cudaDeviceSynchronize();
}
