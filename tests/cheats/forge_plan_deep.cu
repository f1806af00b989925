// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=host_error class=4,36
// Answers with lengths that no memory holds and counts that no loop ends, to exhaust whoever reads
// them.
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  static char line[1 << 20];
  memset(line, 0xFF, sizeof line);
  line[0] = 'P';
  const unsigned long size = sizeof line - 9;
  memcpy(line + 1, &size, 8);
  const unsigned version = 2, none = 0;
  memcpy(line + 9, &version, 4);
  memcpy(line + 29, &none, 4);  // no buffers, four billion steps
  for (int fd = 3; fd < 256; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0) (void)!write(fd, line, sizeof line);
  }
  _exit(0);
}
