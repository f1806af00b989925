// zoo: task=sort rules=strict device=simt expect=ok class=honest
// Odd-even transposition in tiles of shared memory: each launch bubbles twice a tile's length in
// windows that overlap by half, and launches alternate between the two alignments.
#include <cuda_runtime.h>

constexpr int kHalf = 256, kWindow = 2 * kHalf;

__global__ void __launch_bounds__(kHalf) bubble(float* data, int n, int shift) {
  __shared__ float tile[kWindow];
  const int base = blockIdx.x * kWindow + shift;
  for (int i = threadIdx.x; i < kWindow; i += kHalf)
    tile[i] = base + i < n ? data[base + i] : INFINITY;
  for (int round = 0; round < kWindow; ++round) {
    __syncthreads();
    const int i = 2 * threadIdx.x + (round & 1);
    bool moved = false;
    if (i + 1 < kWindow) {
      const float a = tile[i], b = tile[i + 1];
      if (a > b) {
        tile[i] = b;
        tile[i + 1] = a;
        moved = true;
      }
    }
    // Two quiet rounds in a row of both parities would do; one vote per pair of rounds is cheaper.
    if ((round & 15) == 15 && !__syncthreads_or(moved)) {
      bool wrong = false;
      for (int k = threadIdx.x; k + 1 < kWindow; k += kHalf) wrong |= tile[k] > tile[k + 1];
      if (!__syncthreads_or(wrong)) break;
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kWindow; i += kHalf)
    if (base + i < n) data[base + i] = tile[i];
}

extern "C" void solve(float* data, int N) {
  const int windows = (N + kWindow - 1) / kWindow, halves = (N + kHalf - 1) / kHalf;
  for (int pass = 0; pass <= halves; ++pass) {
    const int shift = pass % 2 == 0 ? 0 : kHalf;
    if (shift >= N) continue;
    bubble<<<windows, kHalf>>>(data, N, shift);
  }
}
