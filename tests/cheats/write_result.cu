// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=host_error class=35,4
// Writes result files wherever it can, then half of the output.
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <initializer_list>

#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 2) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  const char* text = "{\"format\":1,\"verdict\":\"ok\"}";
  for (const char* path : {"result.json", "../result.json", "/tmp/result.json", "job", "host.so"}) {
    unlink(path);
    const int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
    if (fd >= 0) (void)!write(fd, text, strlen(text));
  }
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
