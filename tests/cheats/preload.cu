// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=host_error class=4
// Starts the recorder again with a library of its own in front.
#include <stdlib.h>
#include <unistd.h>

#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  char name[] = "record", library[] = "./host.so", preload[] = "LD_PRELOAD=./host.so";
  char* words[] = {name, library, nullptr};
  char* variables[] = {preload, nullptr};
  if (getenv("LD_PRELOAD") == nullptr) execve("/proc/self/exe", words, variables);
  _exit(0);
}
