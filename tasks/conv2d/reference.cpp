// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>

// Taps outside, columns inside: the inner loop runs along memory. The scale is the root of the sum
// of the squared products.
extern "C" void reference(const float* input, const float* kernel, double* output,
                          double* output_scale, int input_rows, int input_cols, int kernel_rows,
                          int kernel_cols) {
  const int out_rows = input_rows - kernel_rows + 1;
  const int out_cols = input_cols - kernel_cols + 1;
  for (int r = 0; r < out_rows; ++r) {
    double* sum = output + std::size_t(r) * out_cols;
    double* squares = output_scale + std::size_t(r) * out_cols;
    std::fill(sum, sum + out_cols, 0.0);
    std::fill(squares, squares + out_cols, 0.0);
    for (int i = 0; i < kernel_rows; ++i) {
      for (int j = 0; j < kernel_cols; ++j) {
        const double tap = kernel[i * kernel_cols + j];
        const float* row = input + std::size_t(r + i) * input_cols + j;
        for (int c = 0; c < out_cols; ++c) {
          const double term = row[c] * tap;
          sum[c] += term;
          squares[c] += term * term;
        }
      }
    }
    for (int c = 0; c < out_cols; ++c) squares[c] = std::sqrt(squares[c]);
  }
}
