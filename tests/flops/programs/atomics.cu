// SPDX-License-Identifier: Apache-2.0
// Additions that the memory does are nobody's instructions. In shared memory each is one; each
// thread has an address of its own.
//
// expect: in_global 0 sp=0
// expect: in_shared 0 sp=32
__global__ void in_global(float* x) { atomicAdd(x + threadIdx.x % 4, 1.0f); }
__global__ void in_shared(float* x) {
  __shared__ float sums[32];
  sums[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  atomicAdd(sums + threadIdx.x, 1.5f);
  __syncthreads();
  x[threadIdx.x] = sums[threadIdx.x];
}

int main() {
  float* x;
  cudaMalloc(&x, 32 * sizeof(float));
  cudaMemset(x, 0, 32 * sizeof(float));
  in_global<<<1, 32>>>(x);
  in_shared<<<1, 32>>>(x);
  return cudaDeviceSynchronize();
}
