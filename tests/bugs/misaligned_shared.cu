// bug: kind=misaligned line=10
// A double is kept at a byte offset of four in shared memory.
// run: --grid 1 --block 2 --arg y=buf:f64:2
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(double* y) {
  __shared__ __align__(16) char pool[64];
  double* d = reinterpret_cast<double*>(pool + 4);
  volatile double* v = d;
  v[threadIdx.x] = 1.5;  // BUG
  __syncthreads();
  y[threadIdx.x] = 2.0;
}
