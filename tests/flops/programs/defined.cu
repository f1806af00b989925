// SPDX-License-Identifier: Apache-2.0
// A definition and a folder of headers from the command line: STEPS additions a thread, 32 threads.
// define: STEPS=7
// include: shared
// expect: steps 0 sp=224
#include "steps.h"

int main() {
  float* x;
  cudaMalloc(&x, 32 * sizeof(float));
  steps<<<1, 32>>>(x);
  return cudaDeviceSynchronize();
}
