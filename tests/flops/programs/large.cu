// SPDX-License-Identifier: Apache-2.0
// 3,000 blocks of 256 threads, each 400 fused multiply-adds: 614,400,000 in all. With a small
// budget blocks are sampled; all do the same, so the estimate is the count.
//
// budget: 2000000
// expect: burn 0 sp=614400000 confidence=sampled
__global__ void burn(float* x, float y, int steps) {
  float t = x[threadIdx.x];
#pragma unroll 1
  for (int i = 0; i < steps; ++i) t = t * y + 0.5f;
  x[threadIdx.x] = t;
}

int main() {
  float* x;
  cudaMalloc(&x, 256 * sizeof(float));
  cudaMemset(x, 0, 256 * sizeof(float));
  burn<<<3000, 256>>>(x, 0.5f, 400);
  return cudaDeviceSynchronize();
}
