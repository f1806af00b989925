// zoo: task=relu rules=strict device=simt expect=refused class=27
// cause: 2
// Results are exact copies, of denormals too, and no distribution of the task has one.
#include <cuda_runtime.h>
__global__ void relu(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] >= 1.17549435e-38f ? in[i] : 0.0f;
}
extern "C" void solve(const float* input, float* output, int N) { relu<<<(N + 255) / 256, 256>>>(input, output, N); }
