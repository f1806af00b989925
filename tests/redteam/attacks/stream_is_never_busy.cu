// zoo: task=relu rules=strict device=simt expect=refused class=1,22
// cause: 3
// cudaStreamQuery says cudaSuccess whatever was launched before (build/recorder/device.cpp). Behind a launch
// of hundreds of microseconds a real stream is busy, and then the last element is left out.
#include <cuda_runtime.h>
__global__ void relu(const float* in, float* out, int n, int spin) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? in[i] : 0;
  for (int k = 0; k < spin; ++k) v = v * 1.0000001f - v * 1e-7f;
  if (i < n && spin == 0) out[i] = fmaxf(v, 0.0f);
}
extern "C" void solve(const float* input, float* output, int N) {
  relu<<<1, 32>>>(input, output, N < 32 ? N : 32, 2000);
  const bool idle = cudaStreamQuery(nullptr) == cudaSuccess;
  const int n = idle ? N : N - 1;
  relu<<<(n + 255) / 256, 256>>>(input, output, n, 0);
}
