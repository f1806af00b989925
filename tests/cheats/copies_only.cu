// SPDX-License-Identifier: Apache-2.0
// zoo: task=transpose rules=strict device=simt expect=forbidden,host_error class=10
// Leaves the work to copies of the runtime, one per column, and launches no kernel.
#include <cuda_runtime.h>
__global__ void transpose(const float* in, float* out) { out[0] = in[0]; }
extern "C" void solve(const float* input, float* output, int rows, int cols) {
  for (int c = 0; c < cols; ++c) {
    cudaMemcpy2DAsync(output + (size_t)c * rows, 4, input + c, 4ull * cols, 4, rows,
                      cudaMemcpyDeviceToDevice);
  }
}
