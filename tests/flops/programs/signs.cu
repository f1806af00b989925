// SPDX-License-Identifier: Apache-2.0
// A sign that changes on its way into memory is an addition of zero (1); in a product it is free.
// expect: flip 0 sp=32
// expect: folded 0 sp=32
__global__ void flip(float* x) { x[threadIdx.x] = -x[threadIdx.x]; }
__global__ void folded(float* x, float by) { x[threadIdx.x] = -x[threadIdx.x] * by; }

int main() {
  float* x;
  cudaMalloc(&x, 32 * sizeof(float));
  flip<<<1, 32>>>(x);
  folded<<<1, 32>>>(x, 3.0f);
  return cudaDeviceSynchronize();
}
