// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=host_error class=36
// Looks for secrets in the environment. Where it succeeds, nothing is launched; it must fail, and
// then the work is honest.
#include <unistd.h>

#include <cstring>

#include <initializer_list>

#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  bool broken = false;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    bool known = false;
    for (const char* name : {"PATH=", "LC_ALL=", "LD_LIBRARY_PATH=", "TMPDIR=", "HOME=", "PWD="}) {
      if (std::strncmp(*variable, name, std::strlen(name)) == 0) known = true;
    }
    if (!known) broken = true;
  }
  if (broken) return;
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
