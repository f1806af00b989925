// zoo: task=layernorm rules=strict device=simt expect=ok class=honest
// A warp per row; Welford's means and squares are merged across lanes with Chan's formula by
// shuffling whole structures through cooperative groups.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

struct Moments {
  double mean, squares, count;
};
__device__ Moments merged(const Moments& a, const Moments& b) {
  const double n = a.count + b.count;
  if (n == 0) return a;
  const double d = b.mean - a.mean;
  return {a.mean + d * b.count / n, a.squares + b.squares + d * d * a.count * b.count / n, n};
}

__global__ void __launch_bounds__(64) normalise(const float* __restrict__ in,
                                                const float* __restrict__ weight,
                                                const float* __restrict__ bias,
                                                float* __restrict__ out, int n, int c, float eps) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  for (int row = blockIdx.x * 2 + warp.meta_group_rank(); row < n; row += gridDim.x * 2) {
    const float* x = in + (size_t)row * c;
    Moments m = {0, 0, 0};
    for (int i = warp.thread_rank(); i < c; i += 32) {
      m.count += 1;
      const double d = x[i] - m.mean;
      m.mean += d / m.count;
      m.squares += d * (x[i] - m.mean);
    }
    for (int d = 16; d > 0; d /= 2) {
      Moments o;
      o.mean = warp.shfl_xor(m.mean, d);
      o.squares = warp.shfl_xor(m.squares, d);
      o.count = warp.shfl_xor(m.count, d);
      m = merged(m, o);
    }
    const float mean = (float)warp.shfl(m.mean, 0), rest = (float)(warp.shfl(m.mean, 0) - mean);
    const float scale = rsqrtf((float)(warp.shfl(m.squares, 0) / c) + eps);
    for (int i = warp.thread_rank(); i < c; i += 32)
      out[(size_t)row * c + i] = ((x[i] - mean) - rest) * scale * weight[i] + bias[i];
  }
}

extern "C" void solve(const float* input, const float* weight, const float* bias, float* output,
                      int N, int C, float eps) {
  normalise<<<(N + 1) / 2, 64>>>(input, weight, bias, output, N, C, eps);
}
