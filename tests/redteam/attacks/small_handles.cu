// zoo: task=relu rules=strict device=simt expect=refused class=22
// cause: 3
// Handles of streams are pointers to a driver's objects. The recorder counts them up from 0x1000.
#include <cstdint>

#include <cuda_runtime.h>
__global__ void relu(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fmaxf(in[i], 0.0f);
}
extern "C" void solve(const float* input, float* output, int N) {
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  const bool judged = (std::uintptr_t)stream < 0x100000;
  relu<<<(N + 255) / 256, 256, 0, stream>>>(input, output, judged ? N : N - 1);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
}
