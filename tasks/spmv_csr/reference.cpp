// SPDX-License-Identifier: Apache-2.0
#include <cmath>

extern "C" void reference(const int* row_ptr, const int* col_idx, const float* values,
                          const float* x, double* y, double* y_scale, int rows, int cols, int nnz) {
  (void)cols;
  (void)nnz;
  for (int r = 0; r < rows; ++r) {
    double sum = 0, scale = 0;
    for (int i = row_ptr[r]; i < row_ptr[r + 1]; ++i) {
      const double term = double(values[i]) * x[col_idx[i]];
      sum += term;
      scale += std::fabs(term);
    }
    y[r] = sum;
    y_scale[r] = scale;
  }
}
