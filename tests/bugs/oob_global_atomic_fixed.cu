// fixed: oob_global_atomic
// The same, put right.
// run: --grid 1 --block 64 --arg v=buf:i32:64:iota --arg bins=buf:i32:64
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const int* v, int* bins) {
  int value = v[threadIdx.x];
  atomicAdd(&bins[value], 1);
}
