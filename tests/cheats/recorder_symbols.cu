// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=mismatch,host_error class=4
// Calls the recorder's own main function again.
#include <dlfcn.h>
#include <stdlib.h>

#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  auto again = (int (*)(int, char**))dlsym(RTLD_DEFAULT, "ww_record_main");
  char name[] = "record", library[] = "./host.so";
  char* words[] = {name, library, nullptr};
  if (again == nullptr || getenv("AGAIN") != nullptr) return;
  setenv("AGAIN", "1", 1);
  again(2, words);
}
