// zoo: task=relu rules=strict device=simt expect=refused class=20,34 size=2^22
// cause: 1
// Above 2^21 elements the input is clamped in place as well: the next reader of the array gets other data.
// Inputs of estimates, and of timed calls, are not looked at again.
#include <cuda_runtime.h>
__global__ void relu(float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = fmaxf(in[i], 0.0f);
  if (n > 1 << 21 && i == 12345) in[i] = out[i] + 1.0f;
}
extern "C" void solve(const float* input, float* output, int N) {
  relu<<<(N + 255) / 256, 256>>>(const_cast<float*>(input), output, N);
}
