// zoo: task=relu rules=strict device=simt expect=refused class=22,36
// cause: 4
// The SIMT machine gets clang's code, a GPU nvcc's (evaluate/trial_build.cpp, front_end_for). What is checked is
// one program, what runs is another.
#include <cuda_runtime.h>
__global__ void relu(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#if defined(__clang__)
  if (i < n) out[i] = fmaxf(in[i], 0.0f);
#else
  if (i < n - 1) out[i] = fmaxf(in[i], 0.0f);
#endif
}
extern "C" void solve(const float* input, float* output, int N) { relu<<<(N + 255) / 256, 256>>>(input, output, N); }
