// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=host_error class=22,36
// A constructor looks for the call before it comes: on every descriptor that could be read, in the
// processes beside it, in what an earlier call has left. Where it finds anything, nothing is launched.
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
static bool found;
__attribute__((constructor)) static void peek() {
  for (int fd = 0; fd < 1024; ++fd) {
    pollfd waiting{fd, POLLIN, 0};
    struct stat facts;
    if (fstat(fd, &facts) != 0 || S_ISCHR(facts.st_mode)) continue;
    if (poll(&waiting, 1, 0) > 0 && (waiting.revents & POLLIN) != 0) found = true;
  }
  char path[64];
  for (int process = 1; process < 64; ++process) {
    if (process == getpid()) continue;
    snprintf(path, sizeof path, "/proc/%d/fd/0", process);
    if (open(path, O_RDONLY | O_NONBLOCK) >= 0) found = true;
    snprintf(path, sizeof path, "/proc/%d/mem", process);
    if (open(path, O_RDONLY) >= 0) found = true;
  }
  if (access("/tmp/seen", F_OK) == 0 || open("/tmp/seen", O_CREAT | O_WRONLY, 0600) >= 0) {
    found = true;
  }
}
extern "C" void solve(const float* X, float* Y, int N) {
  if (found) return;
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
