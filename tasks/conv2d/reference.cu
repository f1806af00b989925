// SPDX-License-Identifier: Apache-2.0
__global__ void outputs(const float* input, const float* kernel, double* output, double* output_scale, int input_cols, int kernel_rows,
                        int kernel_cols, int out_rows, int out_cols) {
  for (u64 at = grid_thread(); at < u64(out_rows) * out_cols; at += grid_threads()) {
    const float* corner = input + at / out_cols * input_cols + at % out_cols;
    double sum = 0, squares = 0;
    for (int i = 0; i < kernel_rows; ++i) {
      for (int j = 0; j < kernel_cols; ++j) {
        const double term = double(corner[size_t(i) * input_cols + j]) * kernel[i * kernel_cols + j];
        sum += term;
        squares += term * term;
      }
    }
    output[at] = sum;
    output_scale[at] = sqrt(squares);
  }
}

extern "C" void reference(const float* input, const float* kernel, double* output, double* output_scale, int input_rows, int input_cols,
                          int kernel_rows, int kernel_cols, const u64* choice) {
  const int out_rows = input_rows - kernel_rows + 1, out_cols = input_cols - kernel_cols + 1;
  outputs<<<blocks_for(u64(out_rows) * out_cols), kBlock>>>(input, kernel, output, output_scale, input_cols, kernel_rows, kernel_cols,
                                                            out_rows, out_cols);
}
