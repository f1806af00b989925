// SPDX-License-Identifier: Apache-2.0
// Approximate functions are table look-ups. A sine brings its argument to turns first (1), a fast
// division multiplies by a reciprocal (1).
// expect: sines 0 sp=32
// expect: quotients 0 sp=32
// expect: roots 0 sp=0
__global__ void sines(float* x) { x[threadIdx.x] = __sinf(x[threadIdx.x]); }
__global__ void quotients(float* x, float y) { x[threadIdx.x] = __fdividef(x[threadIdx.x], y); }
__global__ void roots(float* x) { x[threadIdx.x] = rsqrtf(x[threadIdx.x]); }

int main() {
  float* x;
  cudaMalloc(&x, 32 * sizeof(float));
  cudaMemset(x, 0, 32 * sizeof(float));
  sines<<<1, 32>>>(x);
  quotients<<<1, 32>>>(x, 3.0f);
  roots<<<1, 32>>>(x);
  return cudaDeviceSynchronize();
}
