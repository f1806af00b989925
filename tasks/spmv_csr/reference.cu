// SPDX-License-Identifier: Apache-2.0
// A warp per row; rows that are long for a warp are left to whole blocks.
constexpr int kLong = 2048;

__device__ void add_terms(const int* col_idx, const float* values, const float* x, int first, int last, int step, double& sum,
                          double& scale) {
  for (int i = first; i < last; i += step) {
    const double term = double(values[i]) * x[col_idx[i]];
    sum += term;
    scale += fabs(term);
  }
}

__global__ void short_rows(const int* row_ptr, const int* col_idx, const float* values, const float* x, double* y, double* y_scale,
                           int rows) {
  const int lane = threadIdx.x % 32;
  for (u64 r = grid_thread() / 32; r < u64(rows); r += grid_threads() / 32) {
    const int begin = row_ptr[r], end = row_ptr[r + 1];
    if (end - begin > kLong) continue;
    double sum = 0, scale = 0;
    add_terms(col_idx, values, x, begin + lane, end, 32, sum, scale);
    for (int distance = 16; distance > 0; distance /= 2) {
      sum += __shfl_xor_sync(0xffffffffu, sum, distance);
      scale += __shfl_xor_sync(0xffffffffu, scale, distance);
    }
    if (lane != 0) continue;
    y[r] = sum;
    y_scale[r] = scale;
  }
}

__global__ void long_rows(const int* row_ptr, const int* col_idx, const float* values, const float* x, double* y, double* y_scale,
                          int rows) {
  for (u64 r = blockIdx.x; r < u64(rows); r += gridDim.x) {
    const int begin = row_ptr[r], end = row_ptr[r + 1];
    if (end - begin <= kLong) continue;
    double sum = 0, scale = 0;
    add_terms(col_idx, values, x, begin + threadIdx.x, end, kBlock, sum, scale);
    sum = block_sum(sum);
    scale = block_sum(scale);
    if (threadIdx.x != 0) continue;
    y[r] = sum;
    y_scale[r] = scale;
  }
}

extern "C" void reference(const int* row_ptr, const int* col_idx, const float* values, const float* x, double* y, double* y_scale, int rows,
                          int cols, int nnz, const u64* choice) {
  short_rows<<<blocks_for(u64(rows) * 32), kBlock>>>(row_ptr, col_idx, values, x, y, y_scale, rows);
  long_rows<<<rows < 1024 ? rows : 1024, kBlock>>>(row_ptr, col_idx, values, x, y, y_scale, rows);
}
