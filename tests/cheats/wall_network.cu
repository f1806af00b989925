// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=host_error class=36
// Opens a connection to the network, or a socket for the services of this machine that listen on a
// path (containers, the desktop's bus, key agents). Where it succeeds, nothing is launched; it must
// fail, and then the work is honest.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <initializer_list>

#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  bool broken = false;
  for (const int type : {SOCK_STREAM, SOCK_DGRAM}) {
    const int fd = socket(AF_INET, type, 0);
    sockaddr_in to = {};
    to.sin_family = AF_INET;
    to.sin_port = htons(53);
    to.sin_addr.s_addr = htonl(0x08080808);
    if (fd >= 0 && connect(fd, (sockaddr*)&to, sizeof to) == 0) broken = true;
  }
  int ends[2];
  if (socket(AF_UNIX, SOCK_STREAM, 0) >= 0 || socket(AF_UNIX, SOCK_DGRAM, 0) >= 0) broken = true;
  if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0) broken = true;
  if (broken) return;
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
