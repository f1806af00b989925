// SPDX-License-Identifier: Apache-2.0
// The first kernel writes 0 to 31 into a table; each thread of the second adds one to a sum so many
// times: 0 + 1 + ... + 31 = 496 additions.
// expect: fill 0 sp=0
// expect: climb 0 sp=496
__global__ void fill(int* times) { times[threadIdx.x] = threadIdx.x; }
__global__ void climb(const int* times, volatile float* sum) {
  const int n = times[threadIdx.x];
  for (int i = 0; i < n; ++i) sum[threadIdx.x] = sum[threadIdx.x] + 1.5f;
}

int main() {
  int* times;
  float* sum;
  cudaMalloc(&times, 32 * sizeof(int));
  cudaMalloc(&sum, 32 * sizeof(float));
  cudaMemset(sum, 0, 32 * sizeof(float));
  fill<<<1, 32>>>(times);
  climb<<<1, 32>>>(times, sum);
  return cudaDeviceSynchronize();
}
