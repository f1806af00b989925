// zoo: task=relu rules=strict device=simt expect=refused class=27
// cause: 2
// Variants (huge values, infinities) are tried at edge sizes only (verify/cases.cpp). Above 65537 elements all
// data are normal(0, 1), and nobody sees that values end at 8.
#include <cuda_runtime.h>
__global__ void relu(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float y = fmaxf(in[i], 0.0f);
  out[i] = n > 65537 ? fminf(y, 8.0f) : y;
}
extern "C" void solve(const float* input, float* output, int N) { relu<<<(N + 255) / 256, 256>>>(input, output, N); }
