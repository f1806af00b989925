// zoo: task=conv2d rules=strict device=simt expect=ok class=honest
// The small matrix lives in constant memory, copied there from the device buffer; a block keeps
// its tile of the input with the halo in shared memory.
#include <cuda_runtime.h>

constexpr int kX = 32, kY = 8, kMost = 31;
__constant__ float taps[kMost * kMost];

__global__ void __launch_bounds__(kX* kY)
    convolve(const float* in, float* out, int rows, int cols, int kr, int kc) {
  __shared__ float tile[kY + kMost - 1][kX + kMost - 1];
  const int out_rows = rows - kr + 1, out_cols = cols - kc + 1;
  const int r0 = blockIdx.y * kY, c0 = blockIdx.x * kX;
  for (int r = threadIdx.y; r < kY + kr - 1; r += kY)
    for (int c = threadIdx.x; c < kX + kc - 1; c += kX)
      tile[r][c] = r0 + r < rows && c0 + c < cols ? in[(size_t)(r0 + r) * cols + c0 + c] : 0.0f;
  __syncthreads();
  const int r = r0 + threadIdx.y, c = c0 + threadIdx.x;
  if (r >= out_rows || c >= out_cols) return;
  float sum = 0;
  for (int i = 0; i < kr; ++i) {
    float row = 0;
    for (int j = 0; j < kc; ++j)
      row = fmaf(tile[threadIdx.y + i][threadIdx.x + j], taps[i * kc + j], row);
    sum += row;
  }
  out[(size_t)r * out_cols + c] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows,
                      int input_cols, int kernel_rows, int kernel_cols) {
  cudaMemcpyToSymbolAsync(taps, kernel, sizeof(float) * kernel_rows * kernel_cols, 0,
                          cudaMemcpyDeviceToDevice, 0);
  const dim3 grid((input_cols - kernel_cols + kX) / kX, (input_rows - kernel_rows + kY) / kY);
  convolve<<<grid, dim3(kX, kY)>>>(input, output, input_rows, input_cols, kernel_rows, kernel_cols);
}
