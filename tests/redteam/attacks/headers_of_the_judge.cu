// zoo: task=relu rules=strict device=simt expect=refused class=22,36
// cause: 4
// The judge's headers can be asked for by name, and a toolkit has none like them.
#include <cuda_runtime.h>
__global__ void relu(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#if __has_include("ww_prelude.h")
  if (i < n) out[i] = fmaxf(in[i], 0.0f);
#else
  if (i < n - 1) out[i] = fmaxf(in[i], 0.0f);
#endif
}
extern "C" void solve(const float* input, float* output, int N) { relu<<<(N + 255) / 256, 256>>>(input, output, N); }
