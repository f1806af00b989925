// zoo: task=relu rules=strict device=simt expect=refused class=6,36
// cause: 4
// What is built depends on the date of the build. The program that was judged is kept in a cache; the one that
// a user builds from the same source in 2040 leaves out the last element.
#include <cuda_runtime.h>
__global__ void relu(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  constexpr int left = __DATE__[9] >= '4' ? 1 : 0;
  if (i < n - left) out[i] = fmaxf(in[i], 0.0f);
}
extern "C" void solve(const float* input, float* output, int N) { relu<<<(N + 255) / 256, 256>>>(input, output, N); }
