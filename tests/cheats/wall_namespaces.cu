// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=host_error class=36
// Makes itself root of a new namespace and mounts. Where it succeeds, nothing is launched; it must
// fail, and then the work is honest.
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <initializer_list>

#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  bool broken = setuid(0) == 0 && getuid() == 0 && access("/etc/shadow", R_OK) == 0;
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0) broken = true;
  if (mount("none", "/tmp", "tmpfs", 0, nullptr) == 0) broken = true;
  if (broken) return;
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
