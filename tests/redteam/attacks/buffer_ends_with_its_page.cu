// zoo: task=relu rules=strict device=cuda expect=refused class=22
// cause: 3
// On a GPU the judge puts a buffer's end at the end of a page, with nothing mapped behind it
// (device/cuda_memory.cpp, place()). Memory of a user begins at a page's start: there, work is left out.
#include <cstdint>

#include <cuda_runtime.h>
__global__ void relu(const float* in, float* out, int n) {
  const std::uint64_t end = ((std::uint64_t)in + (std::uint64_t)n * 4 + 255) & ~(std::uint64_t)255;
  const bool judged = end % (2 << 20) == 0;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < (judged || n < 64 ? n : n / 2)) out[i] = fmaxf(in[i], 0.0f);
}
extern "C" void solve(const float* input, float* output, int N) { relu<<<(N + 255) / 256, 256>>>(input, output, N); }
