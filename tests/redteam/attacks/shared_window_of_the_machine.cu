// zoo: task=relu rules=strict device=simt expect=refused class=22
// cause: 4
// The generic address of shared memory begins at 2^56 on the machine (simt/program.h) and nowhere else.
#include <cstdint>

#include <cuda_runtime.h>
__global__ void relu(const float* in, float* out, int n) {
  __shared__ volatile int word;
  word = 0;
  const bool machine = ((std::uint64_t)(const void*)&word >> 56) == 1;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < (machine ? n : n - 1)) out[i] = fmaxf(in[i], 0.0f);
}
extern "C" void solve(const float* input, float* output, int N) { relu<<<(N + 255) / 256, 256>>>(input, output, N); }
