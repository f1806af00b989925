// bug: kind=shared_race line=9 also=uninitialised_read
// A histogram bin is cleared by one warp while another already counts.
// run: --grid 1 --block 64 --arg y=buf:i32:32
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y) {
  __shared__ int bins[32];
  int i = threadIdx.x;
  if (i >= 32) bins[i - 32] = 0;  // BUG
  atomicAdd(&bins[i % 32], 1);
  __syncthreads();
  if (i < 32) y[i] = bins[i];
}
