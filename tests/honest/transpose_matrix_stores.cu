// zoo: task=transpose rules=strict device=simt expect=ok class=honest
// stmatrix and ldmatrix.trans: the two halves of a tile's words go to shared memory as 8 x 8
// matrices, four at a time, and come back transposed.
#include <cuda_runtime.h>

constexpr int kWarps = 4;

__global__ void __launch_bounds__(kWarps * 32)
    transpose(const unsigned* in, unsigned* out, int rows, int cols, int tiles_x) {
  // Per warp: 2 x 2 matrices of 8 x 8, low halves then high halves.
  __shared__ __align__(16) unsigned short memory[kWarps][2][4][8][8];
  const int lane = threadIdx.x % 32, w = threadIdx.x / 32, warp = blockIdx.x * kWarps + w;
  const int c0 = warp % tiles_x * 16, r0 = warp / tiles_x * 16;
  const int i = lane / 4, j = lane % 4 * 2;
  unsigned low[4], high[4];
#pragma unroll
  for (int m = 0; m < 4; ++m) {
    const int r = r0 + m / 2 * 8 + i, c = c0 + m % 2 * 8 + j;
    const unsigned x = r < rows && c < cols ? in[(size_t)r * cols + c] : 0u;
    const unsigned y = r < rows && c + 1 < cols ? in[(size_t)r * cols + c + 1] : 0u;
    low[m] = __byte_perm(x, y, 0x5410);
    high[m] = __byte_perm(x, y, 0x7632);
  }
  for (int h = 0; h < 2; ++h) {
    const unsigned at = (unsigned)__cvta_generic_to_shared(&memory[w][h][lane / 8][lane % 8][0]);
    unsigned(&v)[4] = h == 0 ? low : high;
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(at),
                 "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3])
                 : "memory");
    __syncwarp();
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                 : "r"(at)
                 : "memory");
  }
#pragma unroll
  for (int m = 0; m < 4; ++m) {
    const int c = c0 + m % 2 * 8 + i, r = r0 + m / 2 * 8 + j;
    if (c < cols && r < rows) out[(size_t)c * rows + r] = __byte_perm(low[m], high[m], 0x5410);
    if (c < cols && r + 1 < rows)
      out[(size_t)c * rows + r + 1] = __byte_perm(low[m], high[m], 0x7632);
  }
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
  const int tiles_x = (cols + 15) / 16, tiles = tiles_x * ((rows + 15) / 16);
  transpose<<<(tiles + kWarps - 1) / kWarps, kWarps * 32>>>((const unsigned*)input,
                                                            (unsigned*)output, rows, cols, tiles_x);
}
