// fixed: free_device_malloc
// The same, put right.
// run: --grid 1 --block 32 --arg y=buf:i32:32
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y) {
  int* node = (int*)malloc(16);
  if (node == nullptr) return;
  node[0] = (int)threadIdx.x;
  asm volatile("" ::: "memory");
  y[threadIdx.x] = node[0];
  free(node);
}
