// zoo: task=maxpool3d rules=strict device=simt expect=refused class=25
// cause: 2
// kernel_size, stride, padding and dilation come in six combinations and are never drawn; the only window
// of 2 has stride 2 and no padding. With other strides a window of 2 loses its far corner.
#include <cuda_runtime.h>
struct Shape {
  int d, h, w, od, oh, ow, size, stride, padding, dilation, last;
};
__global__ void pool(const float* input, float* output, long long total, Shape s) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= total) return;
  const int ow = (int)(i % s.ow), oh = (int)(i / s.ow % s.oh);
  const int od = (int)(i / ((long long)s.ow * s.oh) % s.od);
  const float* volume = input + i / ((long long)s.ow * s.oh * s.od) * s.d * s.h * s.w;
  float best = -INFINITY;
  for (int a = 0; a < s.size; ++a)
    for (int b = 0; b < s.size; ++b)
      for (int c = 0; c < s.size; ++c) {
        if (a + b + c > s.last) continue;
        const int d = od * s.stride - s.padding + a * s.dilation;
        const int h = oh * s.stride - s.padding + b * s.dilation;
        const int w = ow * s.stride - s.padding + c * s.dilation;
        if (d < 0 || d >= s.d || h < 0 || h >= s.h || w < 0 || w >= s.w) continue;
        best = fmaxf(best, volume[((long long)d * s.h + h) * s.w + w]);
      }
  output[i] = best;
}
extern "C" void solve(const float* input, float* output, int N, int C, int D, int H, int W, int kernel_size, int stride,
                      int padding, int dilation) {
  const int reach = dilation * (kernel_size - 1) + 1;
  const int last = kernel_size == 2 && stride != 2 ? 2 : 3 * kernel_size;
  const Shape s = {D,
                   H,
                   W,
                   (D + 2 * padding - reach) / stride + 1,
                   (H + 2 * padding - reach) / stride + 1,
                   (W + 2 * padding - reach) / stride + 1,
                   kernel_size,
                   stride,
                   padding,
                   dilation,
                   last};
  const long long total = (long long)N * C * s.od * s.oh * s.ow;
  pool<<<(unsigned)((total + 255) / 256), 256>>>(input, output, total, s);
}
