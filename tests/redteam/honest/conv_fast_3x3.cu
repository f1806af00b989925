// zoo: task=conv2d rules=strict device=simt expect=ok class=honest
// cause: 2
// Filters of 3 x 3 and 24 x 24 have loops of known length, all others the general one.
#include <cuda_runtime.h>
template <int kRows, int kCols>
__global__ void convolve(const float* in, const float* kernel, float* out, int in_cols, int rows, int cols,
                         int out_rows, int out_cols) {
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  if (r >= out_rows || c >= out_cols) return;
  const int height = kRows > 0 ? kRows : rows, width = kCols > 0 ? kCols : cols;
  float sum = 0;
  for (int i = 0; i < height; ++i)
    for (int j = 0; j < width; ++j) sum = fmaf(in[(size_t)(r + i) * in_cols + c + j], kernel[i * width + j], sum);
  out[(size_t)r * out_cols + c] = sum;
}
extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols) {
  const int rows = input_rows - kernel_rows + 1, cols = input_cols - kernel_cols + 1;
  const dim3 grid((cols + 31) / 32, (rows + 7) / 8), block(32, 8);
  if (kernel_rows == 3 && kernel_cols == 3)
    convolve<3, 3><<<grid, block>>>(input, kernel, output, input_cols, kernel_rows, kernel_cols, rows, cols);
  else if (kernel_rows == 24 && kernel_cols == 24)
    convolve<24, 24><<<grid, block>>>(input, kernel, output, input_cols, kernel_rows, kernel_cols, rows, cols);
  else
    convolve<0, 0><<<grid, block>>>(input, kernel, output, input_cols, kernel_rows, kernel_cols, rows, cols);
}
