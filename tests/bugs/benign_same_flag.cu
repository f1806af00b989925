// bug: kind=benign_race line=7
// All blocks raise one flag to the same value: worth a note.
// run: --grid 4 --block 32 --arg flag=buf:i32:1
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* flag) {
  if (threadIdx.x == 0) *flag = 1;  // BUG
}
