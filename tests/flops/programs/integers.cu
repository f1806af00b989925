// SPDX-License-Identifier: Apache-2.0
// Integer work, minima and conversions are no floating-point operations.
// expect: mix 0 sp=0 dp=0
__global__ void mix(int* x, float* y) {
  const int i = threadIdx.x;
  x[i] = x[i] * 17 / (i + 3) + (x[i] >> 2);
  y[i] = fminf(static_cast<float>(x[i]), y[i]);
}

int main() {
  int* x;
  float* y;
  cudaMalloc(&x, 64 * sizeof(int));
  cudaMalloc(&y, 64 * sizeof(float));
  mix<<<1, 64>>>(x, y);
  return cudaDeviceSynchronize();
}
