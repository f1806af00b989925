// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

struct Shape {
  int d, h, w, od, oh, ow, kernel_size, stride, padding, dilation;
};

// One thread per output element; every tap is checked against the bounds and loaded from memory.
__global__ void max_pool(const float* input, float* output, long long total, Shape s) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= total) return;
  const int ow = (int)(i % s.ow);
  const int oh = (int)(i / s.ow % s.oh);
  const int od = (int)(i / ((long long)s.ow * s.oh) % s.od);
  const long long plane = i / ((long long)s.ow * s.oh * s.od);
  const float* volume = input + plane * s.d * s.h * s.w;
  float best = -INFINITY;
  for (int a = 0; a < s.kernel_size; ++a) {
    const int d = od * s.stride - s.padding + a * s.dilation;
    if (d < 0 || d >= s.d) continue;
    for (int b = 0; b < s.kernel_size; ++b) {
      const int h = oh * s.stride - s.padding + b * s.dilation;
      if (h < 0 || h >= s.h) continue;
      for (int c = 0; c < s.kernel_size; ++c) {
        const int w = ow * s.stride - s.padding + c * s.dilation;
        if (w < 0 || w >= s.w) continue;
        best = fmaxf(best, volume[((long long)d * s.h + h) * s.w + w]);
      }
    }
  }
  output[i] = best;
}

extern "C" void solve(const float* input, float* output, int N, int C, int D, int H, int W, int kernel_size, int stride, int padding, int dilation) {
  const int reach = dilation * (kernel_size - 1) + 1;
  const Shape s = {D, H, W, (D + 2 * padding - reach) / stride + 1, (H + 2 * padding - reach) / stride + 1,
                   (W + 2 * padding - reach) / stride + 1, kernel_size, stride, padding, dilation};
  const long long total = (long long)N * C * s.od * s.oh * s.ow;
  max_pool<<<(unsigned)((total + 255) / 256), 256>>>(input, output, total, s);
}
