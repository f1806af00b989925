// zoo: task=relu rules=strict device=simt expect=ok size=2^22
// cause: 5
// What defused attacks on relu are held against: one element a thread.
#include <cuda_runtime.h>
__global__ void relu(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fmaxf(in[i], 0.0f);
}
extern "C" void solve(const float* input, float* output, int N) { relu<<<(N + 255) / 256, 256>>>(input, output, N); }
