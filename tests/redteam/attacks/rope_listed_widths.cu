// zoo: task=rope rules=strict device=simt expect=refused class=25
// cause: 2
// Dh is 2, 4, 6, 30, 34, 64 or 128 in every judgement. Widths from 66 to 126 leave the last pair of a head
// unrotated.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
__global__ void rotate(__half* x, const float* cos_t, const float* sin_t, const int* positions, int tokens, int heads,
                       int dh, int left) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  const int half = dh / 2;
  if (i >= (size_t)tokens * heads * half) return;
  const int j = (int)(i % half);
  if (j >= half - left) return;
  const size_t row = i / half, at = (size_t)positions[row / heads] * half + j;
  __half* pair = x + row * dh + j;
  const float a = __half2float(pair[0]), b = __half2float(pair[half]);
  pair[0] = __float2half(a * cos_t[at] - b * sin_t[at]);
  pair[half] = __float2half(b * cos_t[at] + a * sin_t[at]);
}
extern "C" void solve(__half* q, __half* k, const float* cos_t, const float* sin_t, const int* positions, int T, int Hq,
                      int Hk, int Dh) {
  const size_t in_q = (size_t)T * Hq * (Dh / 2), in_k = (size_t)T * Hk * (Dh / 2);
  const int left = Dh > 64 && Dh < 128 ? 1 : 0;
  rotate<<<(unsigned)((in_q + 255) / 256), 256>>>(q, cos_t, sin_t, positions, T, Hq, Dh, left);
  rotate<<<(unsigned)((in_k + 255) / 256), 256>>>(k, cos_t, sin_t, positions, T, Hk, Dh, left);
}
