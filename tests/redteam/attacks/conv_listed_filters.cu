// zoo: task=conv2d rules=strict device=simt expect=refused class=25
// cause: 2
// Six shapes of filters occur in a judgement, and 3 x 3 is not among them (only the input's shape is drawn).
// Filters of fewer than five columns, other than those listed, lose their last column.
#include <cuda_runtime.h>
__global__ void convolve(const float* in, const float* kernel, float* out, int in_cols, int rows, int cols, int used,
                         int out_rows, int out_cols) {
  const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= out_rows || col >= out_cols) return;
  float sum = 0;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < used; ++j) sum += in[(size_t)(row + i) * in_cols + col + j] * kernel[i * cols + j];
  out[(size_t)row * out_cols + col] = sum;
}
extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows, int input_cols,
                      int kernel_rows, int kernel_cols) {
  const int rows = input_rows - kernel_rows + 1, cols = input_cols - kernel_cols + 1;
  const int used = kernel_cols >= 2 && kernel_cols <= 4 ? kernel_cols - 1 : kernel_cols;
  convolve<<<dim3((cols + 15) / 16, (rows + 15) / 16), dim3(16, 16)>>>(input, kernel, output, input_cols, kernel_rows,
                                                                       kernel_cols, used, rows, cols);
}
