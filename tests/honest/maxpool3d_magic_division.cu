// zoo: task=maxpool3d rules=strict device=simt expect=ok class=honest
// A thread per output; coordinates come from multiplications by magic numbers that the host makes,
// passed with all sizes in one structure by value.
#include <cuda_runtime.h>

struct Divider {
  unsigned divisor, magic, shift;
};
struct Shape {
  int d, h, w, k, stride, padding, dilation, total;
  Divider by_w, by_h, by_d;
};

__device__ unsigned divided(unsigned n, Divider v) {
  return (unsigned)(((unsigned long long)__umulhi(n, v.magic) + n) >> v.shift);
}

__global__ void __launch_bounds__(256) pool(const float* __restrict__ in, float* out, Shape s) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= s.total) return;
  const unsigned row = divided(i, s.by_w), ow = i - row * s.by_w.divisor;
  const unsigned slab = divided(row, s.by_h), oh = row - slab * s.by_h.divisor;
  const unsigned plane = divided(slab, s.by_d), od = slab - plane * s.by_d.divisor;
  const float* volume = in + (size_t)plane * s.d * s.h * s.w;
  float m = __int_as_float(0xff800000);
  for (int a = 0; a < s.k; ++a) {
    const int z = (int)od * s.stride - s.padding + a * s.dilation;
    if (z < 0 || z >= s.d) continue;
    for (int b = 0; b < s.k; ++b) {
      const int y = (int)oh * s.stride - s.padding + b * s.dilation;
      if (y < 0 || y >= s.h) continue;
      const float* line = volume + ((size_t)z * s.h + y) * s.w;
      for (int c = 0; c < s.k; ++c) {
        const int x = (int)ow * s.stride - s.padding + c * s.dilation;
        if (x >= 0 && x < s.w) m = fmaxf(m, __ldg(line + x));
      }
    }
  }
  out[i] = m;
}

static Divider divider(unsigned d) {
  unsigned shift = 0;
  while ((1ull << shift) < d) ++shift;
  return {d, (unsigned)(((1ull << 32) * ((1ull << shift) - d)) / d + 1), shift};
}

extern "C" void solve(const float* input, float* output, int N, int C, int D, int H, int W,
                      int kernel_size, int stride, int padding, int dilation) {
  auto extent = [&](int x) {
    return (x + 2 * padding - dilation * (kernel_size - 1) - 1) / stride + 1;
  };
  const int oD = extent(D), oH = extent(H), oW = extent(W);
  const Shape s = {D,           H,           W,           kernel_size, stride, padding, dilation,
                   N * C * oD * oH * oW, divider(oW), divider(oH), divider(oD)};
  pool<<<(s.total + 255) / 256, 256>>>(input, output, s);
}
