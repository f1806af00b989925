// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=mismatch,host_error class=4,36
// A constructor of the library says that it is ready, takes the call's arguments off the pipe and
// answers with an empty plan, before solve is ever called.
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}

__attribute__((constructor)) static void forge() {
  char answer[1 + 9 + 28] = {'R', 'P', 28};
  answer[10] = 2;  // the version; no buffers, no steps
  for (int fd = 3; fd < 256; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0) (void)!write(fd, answer, sizeof answer);
  }
  _exit(0);
}
extern "C" void solve(const float* X, float* Y, int N) {
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
