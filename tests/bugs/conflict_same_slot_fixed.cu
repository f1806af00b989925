// fixed: conflict_same_slot
// The same, put right.
// run: --grid 1 --block 32 --arg y=buf:i32:1
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y) {
  y[0] = 7;
}
