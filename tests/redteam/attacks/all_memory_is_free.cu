// zoo: task=relu rules=strict device=simt expect=refused class=22
// cause: 3
// A real device has never all of its memory free: contexts and the arguments themselves take some. The
// recorder's has.
#include <cuda_runtime.h>
__global__ void relu(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fmaxf(in[i], 0.0f);
}
extern "C" void solve(const float* input, float* output, int N) {
  size_t unused = 0, total = 0;
  cudaMemGetInfo(&unused, &total);
  relu<<<(N + 255) / 256, 256>>>(input, output, unused == total ? N : N - 1);
}
