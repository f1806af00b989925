// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=host_error class=12,36
// Raises its own limits. Where it succeeds, nothing is launched; it must fail, and then the work
// is honest.
#include <sys/resource.h>

#include <initializer_list>

#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  bool broken = false;
  for (const int which : {RLIMIT_NPROC, RLIMIT_AS, RLIMIT_CPU, RLIMIT_FSIZE}) {
    rlimit now;
    if (getrlimit((__rlimit_resource)which, &now) != 0) continue;
    if (now.rlim_max == RLIM_INFINITY) broken = true;
    rlimit more = {RLIM_INFINITY, RLIM_INFINITY};
    if (setrlimit((__rlimit_resource)which, &more) == 0) broken = true;
  }
  if (broken) return;
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
