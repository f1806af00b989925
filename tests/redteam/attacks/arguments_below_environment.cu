// zoo: task=relu rules=strict device=simt expect=refused class=22
// cause: 3
// The arguments of main lie below the environment's pointers, wherever /proc may be: the last of them is the
// path of the candidate's own library.
#include <unistd.h>

#include <cstring>

#include <cuda_runtime.h>
__global__ void relu(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fmaxf(in[i], 0.0f);
}
extern "C" void solve(const float* input, float* output, int N) {
  const char* last = environ[-2];
  const bool judged = last != nullptr && std::strstr(last, ".so") != nullptr;
  relu<<<(N + 255) / 256, 256>>>(input, output, judged ? N : N - 1);
}
