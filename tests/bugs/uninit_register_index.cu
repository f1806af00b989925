// bug: kind=uninitialised_read line=11
// An index is set only where the key is found, and used as an address everywhere.
// run: --grid 1 --block 32 --arg k=buf:i32:32:iota --arg t=buf:i32:32:iota --arg y=buf:i32:32 --arg i32:20
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(const int* k, const int* t, int* y, int n) {
  int at;
#pragma unroll 1
  for (int j = 0; j < n; ++j)
    if (k[j] == (int)threadIdx.x) at = j;
  y[threadIdx.x] = t[at & 31];  // BUG
}
