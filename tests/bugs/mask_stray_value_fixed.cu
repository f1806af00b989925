// fixed: mask_stray_value
// Only the lane whose sum came from lanes of the mask stores it.
// run: --grid 1 --block 32 --arg y=buf:i32:8
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(int* y) {
  const int l = threadIdx.x;
  if (l < 8) {
    int v = l + 1;
    for (int step = 4; step > 0; step /= 2) v += __shfl_down_sync(0xffu, v, step);
    if (l == 0) y[l] = v;
  }
}
