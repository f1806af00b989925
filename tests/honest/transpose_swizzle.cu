// zoo: task=transpose rules=strict device=simt expect=ok class=honest
// A 64 x 64 tile without padding: columns are swizzled by exclusive or with the row, so that both
// directions are free of bank conflicts. A quarter of a tile per pass.
#include <cuda_runtime.h>

constexpr int kTile = 64, kRows = 8;

__device__ int swizzled(int r, int c) { return r * kTile + (c ^ (r & 31)); }

__global__ void __launch_bounds__(kTile* kRows)
    transpose(const unsigned* in, unsigned* out, int rows, int cols) {
  __shared__ unsigned tile[kTile * kTile];
  const int tiles_x = (cols + kTile - 1) / kTile;
  const int bx = blockIdx.x % tiles_x * kTile, by = blockIdx.x / tiles_x * kTile;
#pragma unroll
  for (int k = 0; k < kTile; k += kRows) {
    const int r = by + threadIdx.y + k, c = bx + threadIdx.x;
    if (r < rows && c < cols)
      tile[swizzled(threadIdx.y + k, threadIdx.x)] = in[(size_t)r * cols + c];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kTile; k += kRows) {
    const int c = bx + threadIdx.y + k, r = by + threadIdx.x;
    if (r < rows && c < cols)
      out[(size_t)c * rows + r] = tile[swizzled(threadIdx.x, threadIdx.y + k)];
  }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
  const int tiles = ((cols + kTile - 1) / kTile) * ((rows + kTile - 1) / kTile);
  transpose<<<tiles, dim3(kTile, kRows)>>>((const unsigned*)input, (unsigned*)output, rows, cols);
}
