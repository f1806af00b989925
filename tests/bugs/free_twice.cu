// bug: kind=use_after_free line=11
// Memory of malloc is given back twice.
// run: --grid 1 --block 1 --arg y=buf:u64:1
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(unsigned long long* y) {
  void* node = malloc(8);
  y[0] = (unsigned long long)node;
  free(node);
  asm volatile("" : "+l"(node)::"memory");
  free(node);  // BUG
}
