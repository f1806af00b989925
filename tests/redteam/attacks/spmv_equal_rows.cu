// zoo: task=spmv_csr rules=strict device=simt expect=refused class=25
// cause: 2
// At timed and drawn sizes all rows have equal lengths; rows that differ come at edge sizes. From 1025 rows on
// every row is taken to have nnz / rows entries, and row_ptr is never read.
#include <cuda_runtime.h>
__global__ void multiply(const int* row_ptr, const int* col, const float* values, const float* x, float* y, int rows,
                         int each) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0;
  const int first = each > 0 ? r * each : row_ptr[r], last = each > 0 ? first + each : row_ptr[r + 1];
  for (int i = first; i < last; ++i) sum += values[i] * x[col[i]];
  y[r] = sum;
}
extern "C" void solve(const int* row_ptr, const int* col_idx, const float* values, const float* x, float* y, int rows,
                      int cols, int nnz) {
  multiply<<<(rows + 255) / 256, 256>>>(row_ptr, col_idx, values, x, y, rows, rows > 1024 ? nnz / rows : 0);
}
