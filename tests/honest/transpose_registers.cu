// zoo: task=transpose rules=strict device=simt expect=ok class=honest
// A warp transposes 32 x 32 words in its registers, without shared memory: five rounds of
// exchanges by shuffles, halves of rows and columns at a time.
#include <cuda_runtime.h>

__global__ void __launch_bounds__(128)
    transpose(const unsigned* in, unsigned* out, int rows, int cols, int tiles_x, int tiles) {
  const int lane = threadIdx.x & 31;
  const int tile = blockIdx.x * 4 + threadIdx.x / 32;
  if (tile >= tiles) return;
  const int c0 = tile % tiles_x * 32, r0 = tile / tiles_x * 32;
  unsigned v[32];
#pragma unroll
  for (int k = 0; k < 32; ++k)
    v[k] = r0 + k < rows && c0 + lane < cols ? in[(size_t)(r0 + k) * cols + c0 + lane] : 0u;
#pragma unroll
  for (int d = 16; d > 0; d /= 2) {
    const bool upper = (lane & d) != 0;
#pragma unroll
    for (int k = 0; k < 32; ++k) {
      if ((k & d) != 0) continue;
      const unsigned give = upper ? v[k] : v[k + d];
      const unsigned got = __shfl_xor_sync(0xffffffffu, give, d);
      if (upper) {
        v[k] = got;
      } else {
        v[k + d] = got;
      }
    }
  }
#pragma unroll
  for (int k = 0; k < 32; ++k)
    if (c0 + k < cols && r0 + lane < rows) out[(size_t)(c0 + k) * rows + r0 + lane] = v[k];
}

extern "C" void solve(const float* input, float* output, int rows, int cols) {
  const int tiles_x = (cols + 31) / 32, tiles = tiles_x * ((rows + 31) / 32);
  transpose<<<(tiles + 3) / 4, 128>>>((const unsigned*)input, (unsigned*)output, rows, cols,
                                      tiles_x, tiles);
}
