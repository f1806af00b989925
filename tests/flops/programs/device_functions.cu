// SPDX-License-Identifier: Apache-2.0
// A function that is not inlined, called five times by each of 16 threads; it has one product and
// one sum that must not be fused: 2 x 5 x 16.
//
// expect: caller 0 sp=160
__device__ __noinline__ float step(float x, float y) { return __fadd_rn(__fmul_rn(x, y), 1.5f); }

__global__ void caller(float* x, float y) {
  float t = x[threadIdx.x];
  for (int i = 0; i < 5; ++i) t = step(t, y);
  x[threadIdx.x] = t;
}

int main() {
  float* x;
  cudaMalloc(&x, 16 * sizeof(float));
  caller<<<1, 16>>>(x, 0.5f);
  return cudaDeviceSynchronize();
}
