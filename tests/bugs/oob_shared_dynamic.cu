// bug: kind=out_of_bounds line=9
// The launch reserves half of the dynamic shared memory that the kernel uses.
// run: --grid 1 --block 64 --shared 128 --arg y=buf:f32:64
// SPDX-License-Identifier: Apache-2.0

extern __shared__ float pool[];
__global__ void kernel(float* y) {
  int i = threadIdx.x;
  pool[i] = (float)i;  // BUG
  __syncthreads();
  y[i] = pool[63 - i];
}
