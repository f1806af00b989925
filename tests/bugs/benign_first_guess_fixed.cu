// fixed: benign_first_guess
// The first read is atomic, too.
// run: --grid 4 --block 32 --arg sum=buf:f32:1
// SPDX-License-Identifier: Apache-2.0

__global__ void kernel(float* sum) {
  if (threadIdx.x != 0) return;
  int* word = (int*)sum;
  int old = atomicAdd(word, 0);
  int assumed;
  do {
    assumed = old;
    old = atomicCAS(word, assumed, __float_as_int(__int_as_float(assumed) + 1.0f));
  } while (assumed != old);
}
