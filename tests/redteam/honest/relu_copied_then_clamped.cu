// zoo: task=relu rules=strict device=simt expect=ok class=honest
// cause: 3
// The copy engine brings the data over, a kernel does the work in place.
#include <cuda_runtime.h>
__global__ void clamp(float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fmaxf(out[i], 0.0f);
}
extern "C" void solve(const float* input, float* output, int N) {
  cudaMemcpyAsync(output, input, (size_t)N * sizeof(float), cudaMemcpyDeviceToDevice, nullptr);
  clamp<<<(N + 255) / 256, 256>>>(output, N);
}
