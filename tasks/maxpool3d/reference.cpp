// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <limits>

extern "C" void reference(const float* input, float* output, int N, int C, int D, int H, int W,
                          int kernel_size, int stride, int padding, int dilation) {
  const int reach = dilation * (kernel_size - 1) + 1;
  const auto extent = [&](int x) { return (x + 2 * padding - reach) / stride + 1; };
  float* out = output;
  for (int plane = 0; plane < N * C; ++plane) {
    const float* volume = input + std::size_t(plane) * D * H * W;
    for (int od = 0; od < extent(D); ++od) {
      for (int oh = 0; oh < extent(H); ++oh) {
        for (int ow = 0; ow < extent(W); ++ow) {
          float best = -std::numeric_limits<float>::infinity();
          for (int a = 0; a < kernel_size; ++a) {
            const int d = od * stride - padding + a * dilation;
            if (d < 0 || d >= D) continue;
            for (int b = 0; b < kernel_size; ++b) {
              const int h = oh * stride - padding + b * dilation;
              if (h < 0 || h >= H) continue;
              const float* row = volume + (std::size_t(d) * H + h) * W;
              for (int c = 0; c < kernel_size; ++c) {
                const int w = ow * stride - padding + c * dilation;
                if (w >= 0 && w < W) best = std::max(best, row[w]);
              }
            }
          }
          *out++ = best;
        }
      }
    }
  }
}
