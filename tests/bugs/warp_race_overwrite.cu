// bug: kind=warp_race line=11
// A row is turned in place: a lane overwrites what another one has still to read.
// run: --grid 1 --block 32 --schedule shuffled:1 --arg x=buf:i32:32:iota --arg y=buf:i32:32
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const int* x, int* y) {
  __shared__ int row[32];
  const int l = threadIdx.x;
  row[l] = x[l];
  __syncwarp();
  const int other = row[31 - l];  // BUG
  row[l] = other;
  __syncwarp();
  y[l] = row[l];
}
