// bug: kind=benign_race line=14
// The flag of a bubble sort: whoever swaps raises it, all of them to the same value.
// run: --grid 1 --block 64 --arg x=buf:i32:128:iota,128,-1
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* x) {
  __shared__ bool swapped;
  const int t = threadIdx.x;
  for (int round = 0; round < 300; ++round) {
    if (t == 0) swapped = false;
    __syncthreads();
    for (int odd = 0; odd < 2; ++odd) {
      const int i = 2 * t + odd, a = x[i], b = i + 1 < 128 ? x[i + 1] : a;
      if (a > b) x[i] = b, x[i + 1] = a, swapped = true;  // BUG
      __syncthreads();
    }
    const bool again = swapped;
    __syncthreads();
    if (!again) break;
  }
}
