// bug: kind=shared_race line=10 also=uninitialised_read,shared_race
// A block-wide reversal without a barrier between writing and reading the tile.
// run: --grid 1 --block 64 --arg x=buf:f32:64:iota --arg y=buf:f32:64
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const float* x, float* y) {
  __shared__ float tile[64];
  int i = threadIdx.x;
  tile[i] = x[i];
  y[i] = tile[63 - i];  // BUG
}
