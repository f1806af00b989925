// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=host_error class=17
// Leaves a mark in /dev/shm and /tmp and skips the work where it finds one.
#include <fcntl.h>
#include <unistd.h>

#include <initializer_list>

#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  bool found = false;
  for (const char* path : {"/dev/shm/known", "/tmp/known"}) {
    if (access(path, F_OK) == 0) found = true;
    const int fd = open(path, O_CREAT | O_WRONLY, 0600);
    if (fd >= 0) close(fd);
  }
  if (found) return;
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
