// bug: kind=divergent_barrier line=12 also=deadlock,shared_race,barrier_mismatch
// Threads beyond n skip the part with the barrier and meet the others later.
// run: --grid 1 --block 64 --arg x=buf:f32:40:iota --arg y=buf:f32:64 --arg i32:40
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const float* x, float* y, int n) {
  __shared__ float tile[64];
  int i = threadIdx.x;
  tile[i] = 0.0f;
  if (i < n) {
    tile[i] = x[i];
    __syncthreads();  // BUG
  }
  __syncthreads();
  y[i] = tile[63 - i];
}
