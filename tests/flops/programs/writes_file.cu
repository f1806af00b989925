// SPDX-License-Identifier: Apache-2.0
// Writes a file beside itself, and reads it again for the number of threads: 12 additions.
// expect: add 0 sp=12
#include <cstdio>

__global__ void add(float* x) { x[threadIdx.x] += 1.5f; }

int main() {
  std::FILE* out = std::fopen("threads.txt", "w");
  std::fprintf(out, "12");
  std::fclose(out);
  std::FILE* in = std::fopen("threads.txt", "r");
  int threads = 0;
  if (std::fscanf(in, "%d", &threads) != 1) return 1;
  float* x;
  cudaMalloc(&x, threads * sizeof(float));
  add<<<1, threads>>>(x);
  return cudaDeviceSynchronize();
}
