// bug: kind=narrow_scope line=10
// A flag that is raised for the block only, and that another block waits for.
// run: --grid 2 --block 32 --arg flag=buf:i32:1
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* flag) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 1) {
    int seen = 0;
    while (seen == 0) asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(flag));  // BUG
  } else {
    asm volatile("st.relaxed.cta.u32 [%0], 1;" ::"l"(flag) : "memory");
  }
}
