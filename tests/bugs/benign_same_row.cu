// bug: kind=benign_race line=9
// Two parts of a block fill one row of shared memory with the same values: worth a note.
// run: --grid 1 --block 32,2 --arg x=buf:f32:128:iota --arg y=buf:f32:64
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const float4* x, float* y) {
  __shared__ float4 row[32];
  const int l = threadIdx.x;
  row[l] = x[l];  // BUG
  __syncthreads();
  y[threadIdx.y * 32 + l] = row[31 - l].x + row[l].w;
}
