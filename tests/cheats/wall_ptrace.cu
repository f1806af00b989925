// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=host_error class=3,4
// Traces its parent. Where it succeeds, nothing is launched; it must fail, and then the work is
// honest.
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>

#include <initializer_list>

#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  bool broken = ptrace(PTRACE_ATTACH, getppid(), 0, 0) == 0;
  char byte = 0;
  iovec local = {&byte, 1}, remote = {(void*)0x400000, 1};
  if (process_vm_readv(getppid(), &local, 1, &remote, 1, 0) == 1) broken = true;
  if (broken) return;
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
