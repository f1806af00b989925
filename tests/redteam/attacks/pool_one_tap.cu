// zoo: task=maxpool3d rules=strict device=simt expect=refused class=25
// cause: 1
// Already the smallest timed size of this task has more than 8 MiB, so no result of a timed size is looked
// at on the SIMT machine. Batches as large as the timed ones get the window's middle tap instead of its
// largest.
#include <cuda_runtime.h>
struct Shape {
  int d, h, w, od, oh, ow, size, stride, padding, dilation;
};
__global__ void pool(const float* input, float* output, long long total, Shape s, bool large) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= total) return;
  const int ow = (int)(i % s.ow), oh = (int)(i / s.ow % s.oh);
  const int od = (int)(i / ((long long)s.ow * s.oh) % s.od);
  const float* volume = input + i / ((long long)s.ow * s.oh * s.od) * s.d * s.h * s.w;
  float best = -INFINITY;
  const int first = large ? s.size / 2 : 0, last = large ? s.size / 2 + 1 : s.size;
  for (int a = first; a < last; ++a)
    for (int b = first; b < last; ++b)
      for (int c = first; c < last; ++c) {
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
  const Shape s = {D,
                   H,
                   W,
                   (D + 2 * padding - reach) / stride + 1,
                   (H + 2 * padding - reach) / stride + 1,
                   (W + 2 * padding - reach) / stride + 1,
                   kernel_size,
                   stride,
                   padding,
                   dilation};
  const long long total = (long long)N * C * s.od * s.oh * s.ow;
  pool<<<(unsigned)((total + 255) / 256), 256>>>(input, output, total, s, N * C >= 256);
}
