// zoo: task=relu rules=strict device=simt expect=ok class=honest
// cause: 2
// Clears negative words by their sign bit: denormals, infinities and both zeros pass as they must.
#include <cuda_runtime.h>
__global__ void relu(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] & ~(in[i] >> 31);
}
extern "C" void solve(const float* input, float* output, int N) {
  relu<<<(N + 255) / 256, 256>>>((const int*)input, (int*)output, N);
}
