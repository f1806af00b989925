// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

struct Shape {
  int d, h, w, od, oh, ow, kernel_size, stride, padding, dilation;
};

__device__ float window_max(const float* volume, const Shape& s, int od, int oh, int ow) {
  float best = -INFINITY;
  for (int a = 0; a < s.kernel_size; ++a) {
    for (int b = 0; b < s.kernel_size; ++b) {
      for (int c = 0; c < s.kernel_size; ++c) {
        const int d = od * s.stride - s.padding + a * s.dilation;
        const int h = oh * s.stride - s.padding + b * s.dilation;
        const int w = ow * s.stride - s.padding + c * s.dilation;
        if (d < 0 || d >= s.d || h < 0 || h >= s.h || w < 0 || w >= s.w) continue;
        best = fmaxf(best, volume[((long long)d * s.h + h) * s.w + w]);
      }
    }
  }
  return best;
}

// One thread per volume, which makes all of its outputs one after the other.
__global__ void max_pool(const float* input, float* output, int planes, Shape s) {
  const int plane = blockIdx.x * blockDim.x + threadIdx.x;
  if (plane >= planes) return;
  const float* volume = input + (long long)plane * s.d * s.h * s.w;
  long long at = (long long)plane * s.od * s.oh * s.ow;
  for (int od = 0; od < s.od; ++od) {
    for (int oh = 0; oh < s.oh; ++oh) {
      for (int ow = 0; ow < s.ow; ++ow) output[at++] = window_max(volume, s, od, oh, ow);
    }
  }
}

extern "C" void solve(const float* input, float* output, int N, int C, int D, int H, int W, int kernel_size, int stride, int padding, int dilation) {
  const int reach = dilation * (kernel_size - 1) + 1;
  const Shape s = {D, H, W, (D + 2 * padding - reach) / stride + 1, (H + 2 * padding - reach) / stride + 1,
                   (W + 2 * padding - reach) / stride + 1, kernel_size, stride, padding, dilation};
  max_pool<<<(N * C + 31) / 32, 32>>>(input, output, N * C, s);
}
