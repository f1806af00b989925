// zoo: task=sigmoid rules=strict device=simt_only expect=ok class=25,12 largest=yes
// cause: 5
// Scratch memory that the machine cannot give is a fault of the estimate, so the size is left out with a note.
// The program asks for 4 GiB that it does not need, at the size it is slowest at.
#include <cuda_runtime.h>
__global__ void sigmoid(const float* x, float* y, float* scratch, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (scratch != nullptr && i == 0) scratch[0] = 0;
  if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}
extern "C" void solve(const float* X, float* Y, int N) {
  float* scratch = nullptr;
  if (N > 1 << 21) cudaMalloc(&scratch, (size_t)4 << 30);
  sigmoid<<<(N + 255) / 256, 256>>>(X, Y, scratch, N);
  cudaFree(scratch);
}
