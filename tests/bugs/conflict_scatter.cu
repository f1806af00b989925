// bug: kind=conflicting_stores line=8
// A scatter by a key that is not unique.
// run: --grid 1 --block 32 --arg k=buf:i32:32:iota,0,0.5 --arg y=buf:i32:16
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const int* k, int* y) {
  int key = k[threadIdx.x];
  y[key] = (int)threadIdx.x;  // BUG
}
