// zoo: task=relu rules=free device=simt expect=ok class=honest
// cause: 3
// A blocking stream is ordered with the default stream by itself: no event is needed.
#include <cuda_runtime.h>
__global__ void copy(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}
__global__ void clamp(float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fmaxf(out[i], 0.0f);
}
extern "C" void solve(const float* input, float* output, int N) {
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  copy<<<(N + 255) / 256, 256, 0, stream>>>(input, output, N);
  clamp<<<(N + 255) / 256, 256>>>(output, N);
  cudaStreamDestroy(stream);
}
