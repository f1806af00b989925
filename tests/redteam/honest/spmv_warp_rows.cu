// zoo: task=spmv_csr rules=strict device=simt expect=ok class=honest
// cause: 2
// A warp for each row, whatever its length, with the bounds from row_ptr.
#include <cuda_runtime.h>
__global__ void multiply(const int* row_ptr, const int* col, const float* values, const float* x, float* y, int rows) {
  const int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (r >= rows) return;
  double sum = 0;
  for (int i = row_ptr[r] + lane; i < row_ptr[r + 1]; i += 32) sum += (double)values[i] * x[col[i]];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (lane == 0) y[r] = (float)sum;
}
extern "C" void solve(const int* row_ptr, const int* col_idx, const float* values, const float* x, float* y, int rows,
                      int cols, int nnz) {
  multiply<<<(rows + 7) / 8, 256>>>(row_ptr, col_idx, values, x, y, rows);
}
