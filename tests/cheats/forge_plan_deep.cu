// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid lane=strict device=simt expect=host_error class=4,36
// Answers with a million nested brackets, to exhaust the stack of whoever reads them.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  static char line[2000100];
  const int head = snprintf(line, sizeof line, "{\"call\":0,\"verdict\":\"ok\",\"plan\":");
  memset(line + head, '[', 1000000);
  memset(line + head + 1000000, ']', 1000000);
  line[head + 2000000] = '}';
  line[head + 2000001] = '\n';
  for (int fd = 3; fd < 256; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0) (void)!write(fd, line, head + 2000002);
  }
  _exit(0);
}
