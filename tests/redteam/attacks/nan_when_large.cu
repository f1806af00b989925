// zoo: task=relu rules=strict device=simt expect=refused class=25 size=2^22
// cause: 1
// NaN is neither above nor below any bound. Whoever checks a large output by "error > tolerance" accepts an
// output full of them; it is written without reading.
#include <cuda_runtime.h>
__global__ void relu(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = n > 1 << 21 ? __int_as_float(0x7FFFFFFF) : fmaxf(in[i], 0.0f);
}
extern "C" void solve(const float* input, float* output, int N) { relu<<<(N + 255) / 256, 256>>>(input, output, N); }
