// zoo: task=cross_entropy rules=free device=simt expect=ok class=honest
// One pass over the row: maximum and sum of exponentials are merged online, by a tree over
// cooperative groups' coalesced threads; a second kernel adds the losses in double.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

struct Soft {
  float max, sum;
};
__device__ Soft merged(Soft a, Soft b) {
  const float m = fmaxf(a.max, b.max);
  if (m == -INFINITY) return a;
  return {m, a.sum * __expf(a.max - m) + b.sum * __expf(b.max - m)};
}

__global__ void rows(const float* z, const int* labels, float* losses, int n, int c) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<16>(block);
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 16;
  if (row >= n) return;
  const float* r = z + (size_t)row * c;
  Soft s = {-INFINITY, 0};
  for (int i = tile.thread_rank(); i < c; i += 16) s = merged(s, {r[i], 1.0f});
  for (int d = 8; d > 0; d /= 2) s = merged(s, {tile.shfl_xor(s.max, d), tile.shfl_xor(s.sum, d)});
  if (tile.thread_rank() == 0) losses[row] = logf(s.sum) + (s.max - r[labels[row]]);
}

__global__ void mean(const float* losses, float* out, int n) {
  __shared__ double sums[256];
  double v = 0;
  for (int i = threadIdx.x; i < n; i += 256) v += losses[i];
  sums[threadIdx.x] = v;
  for (int d = 128; d > 0; d /= 2) {
    __syncthreads();
    if (threadIdx.x < d) sums[threadIdx.x] += sums[threadIdx.x + d];
  }
  if (threadIdx.x == 0) *out = (float)(sums[0] / n);
}

extern "C" void solve(const float* logits, const int* true_labels, float* loss, int N, int C) {
  float* losses;
  cudaMallocAsync(&losses, N * sizeof(float), 0);
  rows<<<(N + 7) / 8, 128>>>(logits, true_labels, losses, N, C);
  mean<<<1, 256>>>(losses, loss, N);
  cudaFreeAsync(losses, 0);
}
