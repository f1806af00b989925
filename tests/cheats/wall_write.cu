// SPDX-License-Identifier: Apache-2.0
// zoo: task=sigmoid rules=strict device=simt expect=host_error class=17,35
// Writes into the system, the recorder and its own job. Where it succeeds, nothing is launched; it
// must fail, and then the work is honest.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include <initializer_list>

#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  bool broken = false;
  const char* recorder = std::getenv("LD_LIBRARY_PATH");
  const std::string folder = recorder == nullptr ? "/usr/lib" : recorder;
  for (const std::string path : {std::string("/usr/lib/x"), folder + "/librecorder.so",
                                 folder + "/x", std::string("./host.so"), std::string("./job")}) {
    if (open(path.c_str(), O_CREAT | O_WRONLY, 0600) >= 0) broken = true;
    if (unlink(path.c_str()) == 0 || chmod(path.c_str(), 0777) == 0) broken = true;
  }
  if (broken) return;
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, N);
}
