// SPDX-License-Identifier: Apache-2.0
// Functions of mathematics by the names they share with double: maximum, minimum, the integer below
// and the sign are no FLOPs. One fused multiply-add: 2 for each of 64 threads. Were one of them the
// double one, there would be DP additions.
// expect: overloads 0 sp=128 dp=0
__global__ void overloads(const float* x, float* y) {
  const float a = x[threadIdx.x], b = x[threadIdx.x + 64];
  y[threadIdx.x] = fmax(a, b) * trunc(fmin(a, b)) + copysign(a, b);
}

int main() {
  float *x, *y;
  cudaMalloc(&x, 128 * sizeof(float));
  cudaMalloc(&y, 64 * sizeof(float));
  cudaMemset(x, 0, 128 * sizeof(float));
  overloads<<<1, 64>>>(x, y);
  return cudaDeviceSynchronize();
}
