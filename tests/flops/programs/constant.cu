// SPDX-License-Identifier: Apache-2.0
// Four coefficients in constant memory: Horner's rule for a polynomial of the third degree is three
// fused multiply-adds, 96 threads: 96 x 6.
// expect: polynomial 0 sp=576
__constant__ float coefficients[4];

__global__ void polynomial(float* x) {
  const float t = x[threadIdx.x];
  x[threadIdx.x] =
      ((coefficients[3] * t + coefficients[2]) * t + coefficients[1]) * t + coefficients[0];
}

int main() {
  const float host[4] = {1, 2, 3, 4};
  cudaMemcpyToSymbol(coefficients, host, sizeof host);
  float* x;
  cudaMalloc(&x, 96 * sizeof(float));
  cudaMemset(x, 0, 96 * sizeof(float));
  polynomial<<<1, 96>>>(x);
  return cudaDeviceSynchronize();
}
