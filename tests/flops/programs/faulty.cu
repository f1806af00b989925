// SPDX-License-Identifier: Apache-2.0
// Writes behind its buffer.
// code: 1
__global__ void beyond(float* x) { x[threadIdx.x + 1000] = 1; }

int main() {
  float* x;
  cudaMalloc(&x, 32 * sizeof(float));
  beyond<<<1, 32>>>(x);
  return cudaDeviceSynchronize();
}
