// fixed: benign_same_flag
// One block raises it.
// run: --grid 4 --block 32 --arg flag=buf:i32:1
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* flag) {
  if (threadIdx.x == 0 && blockIdx.x == 0) *flag = 1;
}
