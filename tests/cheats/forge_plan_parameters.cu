// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid lane=strict device=simt expect=host_error class=4
// Forges a launch whose parameters are shorter than the kernel's.
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
  forge("{\"version\":1,\"stack_bytes\":0,\"heap_bytes\":0,\"buffers\":[],"
        "\"steps\":[{\"step\":\"launch\",\"kernel\":\"_Z7sigmoidPKfPfi\",\"grid\":[1,1,1],\"block\":[1,1,1],"
        "\"cluster\":[1,1,1],\"shared_bytes\":0,\"cooperative\":false,\"carveout\":-1,"
        "\"parameters\":\"00000000\",\"parameter_offsets\":[0]}]}");
  _exit(0);
}
