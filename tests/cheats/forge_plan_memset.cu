// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=mismatch,host_error,forbidden class=4
// Writes a launch plan of its own to the judge's descriptor: no kernel, only a memset that any
// solve could ask for. What it asks for is done, and is wrong.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}

// The recorder's own way to write a plan down.
struct Plan {
  char bytes[4096];
  unsigned long size = 0;
  template <class T>
  Plan& add(T value) {
    memcpy(bytes + size, &value, sizeof value);
    size += sizeof value;
    return *this;
  }
  Plan& text(const char* words) {
    add(strlen(words));
    memcpy(bytes + size, words, strlen(words));
    size += strlen(words);
    return *this;
  }
  Plan& head() { return add(2u).add(0ul).add(0ul); }
  Plan& buffer(char kind, unsigned argument, const char* symbol, unsigned long size) {
    return add(kind).add(argument).text(symbol).add(size);
  }
  Plan& step(char kind) { return add(1u).add(0u).add(kind); }
};

// Every descriptor that may lead to the judge gets a finished report.
static void forge(const Plan& plan) {
  static char line[8192];
  line[0] = 'P';
  memcpy(line + 1, &plan.size, 8);
  memcpy(line + 9, plan.bytes, plan.size);
  for (int fd = 3; fd < 256; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0) (void)!write(fd, line, 9 + plan.size);
  }
}
extern "C" void solve(const float* X, float* Y, int N) {
  Plan plan;
  plan.head().add(2u).buffer(0, 0, "", 4ul * N).buffer(0, 1, "", 4ul * N).add(1u)
      .step(1).add((unsigned long)Y).add(0u).add(4ul * N).add(1ul).add(0ul);
  forge(plan);
  _exit(0);
}
