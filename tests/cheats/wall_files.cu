// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=host_error class=17,22
// Reads what belongs to the machine: accounts, homes, the memory of its parent. Where it succeeds,
// nothing is launched; it must fail, and then the work is honest.
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

#include <initializer_list>

#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  bool broken = false;
  char parent[64];
  std::snprintf(parent, sizeof parent, "/proc/%d/mem", (int)getppid());
  char init[] = "/proc/1/environ";
  for (const char* path : {"/etc/passwd", "/etc/shadow", "/root/.bashrc", "/etc/hostname"}) {
    if (open(path, O_RDONLY) >= 0) broken = true;
  }
  char byte = 0;
  const int environment = open(init, O_RDONLY);
  if (environment >= 0 && read(environment, &byte, 1) > 0 && access("/root", R_OK) == 0) broken = true;
  if (opendir("/home/") != nullptr && access("/home", W_OK) == 0) broken = true;
  if (broken) return;
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
