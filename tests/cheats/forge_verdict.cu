// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=host_error class=4,33
// Claims the verdict ok and a time for itself in every format it can think of, then does half of
// the work.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 2) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  const char* claim = "{\"format\":1,\"verdict\":\"ok\",\"median_us\":0.001}\n";
  for (int fd = 0; fd < 256; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0) (void)!write(fd, claim, strlen(claim));
  }
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
