// zoo: task=relu rules=strict device=simt expect=refused class=22
// cause: 4
// The machine hands out addresses from 2^40 on, one buffer behind the other with 256 bytes between
// (simt/memory.cpp). A GPU's addresses look otherwise, and there the last element is left out.
#include <cstdint>

#include <cuda_runtime.h>
__global__ void relu(const float* in, float* out, int n) {
  const bool machine = ((std::uint64_t)in >> 40) == 1 && ((std::uint64_t)out >> 40) == 1;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < (machine ? n : n - 1)) out[i] = fmaxf(in[i], 0.0f);
}
extern "C" void solve(const float* input, float* output, int N) { relu<<<(N + 255) / 256, 256>>>(input, output, N); }
