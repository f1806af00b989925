// SPDX-License-Identifier: Apache-2.0
struct Shape {
  int D, H, W, oD, oH, oW, size, stride, padding, dilation;
};

__global__ void windows(const float* input, float* output, u64 count, Shape s) {
  for (u64 i = grid_thread(); i < count; i += grid_threads()) {
    const int ow = int(i % s.oW), oh = int(i / s.oW % s.oH), od = int(i / s.oW / s.oH % s.oD);
    const float* volume = input + i / s.oW / s.oH / s.oD * s.D * s.H * s.W;
    float best = -INFINITY;
    for (int a = 0; a < s.size; ++a) {
      for (int b = 0; b < s.size; ++b) {
        for (int c = 0; c < s.size; ++c) {
          const int d = od * s.stride - s.padding + a * s.dilation;
          const int h = oh * s.stride - s.padding + b * s.dilation;
          const int w = ow * s.stride - s.padding + c * s.dilation;
          if (d < 0 || d >= s.D || h < 0 || h >= s.H || w < 0 || w >= s.W) continue;
          best = fmaxf(best, volume[(size_t(d) * s.H + h) * s.W + w]);
        }
      }
    }
    output[i] = best;
  }
}

extern "C" void reference(const float* input, float* output, int N, int C, int D, int H, int W, int kernel_size, int stride, int padding,
                          int dilation, const u64* choice) {
  const int reach = dilation * (kernel_size - 1) + 1;
  const auto extent = [&](int x) { return (x + 2 * padding - reach) / stride + 1; };
  const Shape shape{D, H, W, extent(D), extent(H), extent(W), kernel_size, stride, padding, dilation};
  const u64 count = u64(N) * C * shape.oD * shape.oH * shape.oW;
  windows<<<blocks_for(count), kBlock>>>(input, output, count, shape);
}
