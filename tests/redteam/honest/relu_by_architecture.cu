// zoo: task=relu rules=strict device=simt expect=ok class=honest
// cause: 4
// Code by the architecture, as libraries have it: both ways do the same.
#include <cuda_runtime.h>
__global__ void relu(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  __stcs(out + i, fmaxf(__ldcs(in + i), 0.0f));
#else
  out[i] = fmaxf(in[i], 0.0f);
#endif
}
extern "C" void solve(const float* input, float* output, int N) { relu<<<(N + 255) / 256, 256>>>(input, output, N); }
