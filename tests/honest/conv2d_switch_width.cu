// zoo: task=conv2d rules=strict device=simt expect=ok class=honest
// Fully unrolled inner loops for every width from 1 to 8 and for 24, picked in the kernel by a
// switch over template instances; taps in registers, a local array as sliding window.
#include <cuda_runtime.h>

template <int kWidth>
__device__ __noinline__ float row_sum(const float* line, const float* taps) {
  float window[kWidth], sum = 0;
#pragma unroll
  for (int j = 0; j < kWidth; ++j) window[j] = line[j];
#pragma unroll
  for (int j = 0; j < kWidth; ++j) sum = fmaf(window[j], __ldg(taps + j), sum);
  return sum;
}
__device__ float any_row(const float* line, const float* taps, int width) {
  switch (width) {
    case 1: return row_sum<1>(line, taps);
    case 2: return row_sum<2>(line, taps);
    case 3: return row_sum<3>(line, taps);
    case 4: return row_sum<4>(line, taps);
    case 5: return row_sum<5>(line, taps);
    case 6: return row_sum<6>(line, taps);
    case 7: return row_sum<7>(line, taps);
    case 8: return row_sum<8>(line, taps);
    case 24: return row_sum<24>(line, taps);
    default: break;
  }
  float sum = 0;
  for (int j = 0; j < width; ++j) sum = fmaf(line[j], taps[j], sum);
  return sum;
}

__global__ void convolve(const float* in, const float* kernel, float* out, int rows, int cols,
                         int kr, int kc) {
  const int out_rows = rows - kr + 1, out_cols = cols - kc + 1;
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c >= out_cols || r >= out_rows) return;
  float sum = 0;
  for (int i = 0; i < kr; ++i) sum += any_row(in + (size_t)(r + i) * cols + c, kernel + i * kc, kc);
  out[(size_t)r * out_cols + c] = sum;
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows,
                      int input_cols, int kernel_rows, int kernel_cols) {
  const dim3 block(32, 4);
  const dim3 grid((input_cols - kernel_cols + 32) / 32, (input_rows - kernel_rows + 4) / 4);
  convolve<<<grid, block>>>(input, kernel, output, input_rows, input_cols, kernel_rows, kernel_cols);
}
