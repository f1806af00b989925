// zoo: task=relu rules=strict device=simt expect=refused class=25 size=2^22
// cause: 1
// Of sizes beyond 8 MiB the SIMT machine looks at how many bytes were written and not at which
// (evaluate/trial_estimate.cpp, does_too_little()). Above 2^21 elements this writes and does not read.
#include <cuda_runtime.h>
__global__ void relu(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = n > 1 << 21 ? 0.25f : fmaxf(in[i], 0.0f);
}
extern "C" void solve(const float* input, float* output, int N) { relu<<<(N + 255) / 256, 256>>>(input, output, N); }
