// zoo: task=transpose rules=strict device=simt expect=refused class=10,29
// cause: 3
// No kernel at all: one two-dimensional copy of four-byte rows per column, by the copy engine. The estimate
// takes such a copy for one at full bandwidth (device/simt_estimate.cpp); the kernel is never launched.
#include <cuda_runtime.h>
__global__ void transpose(const float* in, float* out, int rows, int cols) {
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y;
  if (c < cols) out[(size_t)c * rows + r] = in[(size_t)r * cols + c];
}
extern "C" void solve(const float* input, float* output, int rows, int cols) {
  for (int c = 0; c < cols; ++c) {
    cudaMemcpy2DAsync(output + (size_t)c * rows, 4, input + c, (size_t)cols * 4, 4, rows, cudaMemcpyDeviceToDevice,
                      nullptr);
  }
}
