// fixed: warp_race_exchange
// The same, put right.
// run: --grid 1 --block 32 --arg x=buf:i32:32:iota --arg y=buf:i32:32
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const int* x, int* y) {
  __shared__ int box[32];
  int l = threadIdx.x;
  box[l] = x[l];
  __syncwarp();
  y[l] = box[l ^ 1];
}
