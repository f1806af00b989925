// bug: kind=out_of_bounds line=7
// A null pointer is written through.
// run: --grid 1 --block 32 --arg u64:0
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* out) {
  out[threadIdx.x] = 7;  // BUG
}
