// zoo: task=conv2d rules=strict device=simt expect=ok class=honest
// A block walks down a strip of the image; rows arrive in a ring of shared memory by the pipeline
// primitives, one row ahead of the sums, each thread keeping one column.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

constexpr int kX = 64, kStrip = 16;
extern __shared__ float memory[];

__global__ void __launch_bounds__(kX) convolve(const float* in, const float* kernel, float* out,
                                               int rows, int cols, int kr, int kc) {
  const int out_rows = rows - kr + 1, out_cols = cols - kc + 1;
  const int width = kX + kc - 1, ring = kr + 1;
  float* taps = memory;
  float* lines = memory + kr * kc;
  const int c0 = blockIdx.x * kX, r0 = blockIdx.y * kStrip;
  for (int i = threadIdx.x; i < kr * kc; i += kX)
    __pipeline_memcpy_async(taps + i, kernel + i, sizeof(float));
  auto fetch = [&](int r) {
    if (r < rows) {
      for (int c = threadIdx.x; c < width; c += kX) {
        const bool inside = c0 + c < cols;
        __pipeline_memcpy_async(lines + r % ring * width + c,
                                in + (size_t)r * cols + (inside ? c0 + c : 0), sizeof(float),
                                inside ? 0 : sizeof(float));
      }
    }
    __pipeline_commit();
  };
  for (int r = r0; r < r0 + kr; ++r) fetch(r);
  for (int r = r0; r < r0 + kStrip && r < out_rows; ++r) {
    fetch(r + kr);
    __pipeline_wait_prior(1);
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < kr; ++i) {
      const float* line = lines + (r + i) % ring * width + threadIdx.x;
      float part = 0;
      for (int j = 0; j < kc; ++j) part = fmaf(line[j], taps[i * kc + j], part);
      sum += part;
    }
    if (c0 + (int)threadIdx.x < out_cols) out[(size_t)r * out_cols + c0 + threadIdx.x] = sum;
    __syncthreads();
  }
  __pipeline_wait_prior(0);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_rows,
                      int input_cols, int kernel_rows, int kernel_cols) {
  const int out_rows = input_rows - kernel_rows + 1, out_cols = input_cols - kernel_cols + 1;
  const size_t floats = (size_t)kernel_rows * kernel_cols + (kernel_rows + 1) * (kX + kernel_cols - 1);
  const dim3 grid((out_cols + kX - 1) / kX, (out_rows + kStrip - 1) / kStrip);
  convolve<<<grid, kX, floats * sizeof(float)>>>(input, kernel, output, input_rows, input_cols,
                                                 kernel_rows, kernel_cols);
}
