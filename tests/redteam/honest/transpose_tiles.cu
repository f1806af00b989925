// zoo: task=transpose rules=strict device=simt expect=ok class=honest
// cause: 2
// Tiles in shared memory, padded by a column, for every shape.
#include <cuda_runtime.h>
__global__ void transpose(const unsigned* in, unsigned* out, int rows, int cols) {
  __shared__ unsigned tile[32][33];
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (c < cols && r + k < rows) tile[threadIdx.y + k][threadIdx.x] = in[(size_t)(r + k) * cols + c];
  __syncthreads();
  r = blockIdx.y * 32 + threadIdx.x;
  c = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (r < rows && c + k < cols) out[(size_t)(c + k) * rows + r] = tile[threadIdx.x][threadIdx.y + k];
}
extern "C" void solve(const float* input, float* output, int rows, int cols) {
  const dim3 grid((cols + 31) / 32, (rows + 31) / 32);
  transpose<<<grid, dim3(32, 8)>>>((const unsigned*)input, (unsigned*)output, rows, cols);
}
