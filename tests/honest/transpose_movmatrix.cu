// zoo: task=transpose rules=strict device=simt expect=ok class=honest
// The matrix path of the warp moves 16-bit elements: words are split into halves, 8 x 8 tiles of
// each are transposed by movmatrix in registers, and put together again.
#include <cuda_runtime.h>

__device__ unsigned turned(unsigned pair) {
  unsigned d;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(d) : "r"(pair));
  return d;
}

__global__ void __launch_bounds__(256)
    transpose(const unsigned* in, unsigned* out, int rows, int cols, int tiles_x) {
  const int lane = threadIdx.x % 32, warp = blockIdx.x * 8 + threadIdx.x / 32;
  const int c0 = warp % tiles_x * 8, r0 = warp / tiles_x * 8;
  const int i = lane / 4, j = lane % 4 * 2;
  unsigned x = 0, y = 0;
  if (r0 + i < rows) {
    const unsigned* line = in + (size_t)(r0 + i) * cols + c0;
    if (c0 + j < cols) x = line[j];
    if (c0 + j + 1 < cols) y = line[j + 1];
  }
  const unsigned low = turned(__byte_perm(x, y, 0x5410)), high = turned(__byte_perm(x, y, 0x7632));
  x = __byte_perm(low, high, 0x5410);
  y = __byte_perm(low, high, 0x7632);
  if (c0 + i >= cols || r0 >= rows) return;
  unsigned* line = out + (size_t)(c0 + i) * rows + r0;
  if (r0 + j < rows) line[j] = x;
  if (r0 + j + 1 < rows) line[j + 1] = y;
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
  const int tiles_x = (cols + 7) / 8, tiles = tiles_x * ((rows + 7) / 8);
  transpose<<<(tiles + 7) / 8, 256>>>((const unsigned*)input, (unsigned*)output, rows, cols,
                                      tiles_x);
}
