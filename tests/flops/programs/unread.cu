// SPDX-License-Identifier: Apache-2.0
// A launch that is not run completely makes doubtful what reads its output, and nothing else.
//
// budget: 20000
// big: 4096 blocks of 256 threads, one multiplication each: too much for the budget.
// expect: big 0 grid=4096,1,1 confidence=sampled
// other reads what big did not write: 64 additions.
// expect: other 0 sp=64 confidence=exact
// follow branches on what big wrote.
// expect: follow 0 confidence=bounded
// straight reads it, too, but does the same whatever it finds: 64 additions.
// expect: straight 0 sp=64 confidence=exact
__global__ void big(float* x) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  for (int k = 0; k < 16; ++k) x[i] = x[i] * 1.5f;
}
__global__ void other(float* y) { y[threadIdx.x] += 1.0f; }
__global__ void follow(const float* x, float* y) {
  if (x[threadIdx.x * 97] > 2.0f) y[threadIdx.x] += 3.0f;
}
__global__ void straight(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x] + 2.0f; }

int main() {
  float *x, *y, *z;
  cudaMalloc(&x, 4096 * 256 * sizeof(float));
  cudaMalloc(&y, 64 * sizeof(float));
  cudaMalloc(&z, 64 * sizeof(float));
  cudaMemset(x, 0, 4096 * 256 * sizeof(float));
  cudaMemset(y, 0, 64 * sizeof(float));
  big<<<4096, 256>>>(x);
  other<<<1, 64>>>(y);
  follow<<<1, 64>>>(x, z);
  straight<<<1, 64>>>(x, z);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
