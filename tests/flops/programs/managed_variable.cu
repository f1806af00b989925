// SPDX-License-Identifier: Apache-2.0
// The host gives managed variables values that a kernel reads, and reads what it wrote: 8 sums, of
// which the host finds 3 above its limit and launches as many threads; one more launch goes through
// a pointer to such a variable.
//
// expect: fill 0 sp=8
// expect: plus 0 sp=3
// expect: by_pointer 0 dp=1
__managed__ float values[8];
__device__ __managed__ float limit = 5.5f;
static __managed__ float shift = 0.5f;
__managed__ double sum;

__global__ void fill() { values[threadIdx.x] = threadIdx.x + shift; }
__global__ void plus() { values[threadIdx.x] += 1.5f; }
__global__ void by_pointer(double* where) { *where += 0.25; }

int main() {
  if (limit != 5.5f || shift != 0.5f) return 1;
  shift = 1.5f;
  fill<<<1, 8>>>();
  cudaDeviceSynchronize();
  int found = 0;
  for (int i = 0; i < 8; ++i) found += values[i] > limit;
  plus<<<1, found>>>();
  cudaDeviceSynchronize();
  if (values[0] != 3.0f || values[3] != 4.5f) return 2;
  sum = 2;
  by_pointer<<<1, 1>>>(&sum);
  cudaDeviceSynchronize();
  double copied = 0;
  cudaMemcpyFromSymbol(&copied, sum, sizeof sum);
  return sum == 2.25 && copied == 2.25 ? 0 : 3;
}
