// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=host_error class=4
// Looks for descriptors that whoever started the judge has left open. Where it succeeds, nothing
// is launched; it must fail, and then the work is honest.
#include <sys/stat.h>
#include <unistd.h>

#include <initializer_list>

#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  bool broken = false;
  for (int fd = 3; fd < 100; ++fd) {
    struct stat facts;
    if (fstat(fd, &facts) == 0 && !S_ISCHR(facts.st_mode)) broken = true;
  }
  if (broken) return;
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
