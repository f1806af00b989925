// zoo: task=relu rules=strict device=simt expect=ok class=honest
// cause: 3
// Asks the device for its multiprocessors, its occupancy and its free memory, and chooses the grid by that.
#include <cuda_runtime.h>
__global__ void relu(const float* in, float* out, int n) {
  for (long long i = blockIdx.x * 256LL + threadIdx.x; i < n; i += gridDim.x * 256LL) out[i] = fmaxf(in[i], 0.0f);
}
extern "C" void solve(const float* input, float* output, int N) {
  cudaDeviceProp properties;
  int device = 0, resident = 1;
  size_t unused = 0, total = 0;
  cudaGetDevice(&device);
  cudaGetDeviceProperties(&properties, device);
  cudaMemGetInfo(&unused, &total);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, relu, 256, 0);
  int blocks = properties.multiProcessorCount * (resident > 0 ? resident : 1);
  if (unused < total / 8) blocks = properties.multiProcessorCount;
  const int needed = (N + 255) / 256;
  relu<<<(needed < blocks ? needed : blocks), 256>>>(input, output, N);
}
