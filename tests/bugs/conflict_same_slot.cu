// bug: kind=conflicting_stores line=7
// All lanes write their number to one slot.
// run: --grid 1 --block 32 --arg y=buf:i32:1
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y) {
  y[0] = (int)threadIdx.x;  // BUG
}
