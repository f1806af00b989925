// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=host_error class=18,30
// Catches the fault of reading device memory on the host and goes on with what it has not learnt.
#include <csetjmp>
#include <csignal>

#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 0;
}
static std::jmp_buf again;
static void caught(int) { std::longjmp(again, 1); }
extern "C" void solve(const float* X, float* Y, int N) {
  std::signal(SIGSEGV, caught);
  std::signal(SIGBUS, caught);
  volatile float first = 0;
  if (setjmp(again) == 0) first = X[0];
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
