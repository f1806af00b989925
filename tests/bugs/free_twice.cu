// bug: kind=use_after_free line=11
// Memory of malloc is given back twice.
// run: --grid 1 --block 1 --arg y=buf:i32:1
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y) {
  int* node = (int*)malloc(8);
  y[0] = node != nullptr;
  free(node);
  asm volatile("" ::: "memory");
  free(node);  // BUG
}
