// zoo: task=topk rules=strict device=simt expect=ok class=honest
// cub::BlockRadixSort on tiles, descending: rounds of tournaments keep the k best of each tile
// until one tile is left; larger k are merged from sorted tiles by counting ranks.
#include <cub/block/block_radix_sort.cuh>
#include <cuda_runtime.h>

constexpr int kThreads = 128, kItems = 8, kTile = kThreads * kItems;

__device__ bool before(float a, int i, float b, int j) { return a > b || (a == b && i < j); }

// stage 0: sort tiles of `in` and keep `keep` of each in `out`. stage 1: every element of the sorted
// tiles finds its rank by binary search in all of them.
__global__ void __launch_bounds__(kThreads)
    pass(const float* in, float* out, int n, int keep, int k, int stage) {
  using Sort = cub::BlockRadixSort<float, kThreads, kItems>;
  __shared__ typename Sort::TempStorage storage;
  if (stage == 0) {
    float v[kItems];
    const int base = blockIdx.x * kTile;
    for (int i = 0; i < kItems; ++i) {
      const int at = base + threadIdx.x * kItems + i;
      v[i] = at < n ? in[at] : -INFINITY;
    }
    Sort(storage).SortDescending(v);
    for (int i = 0; i < kItems; ++i) {
      const int at = threadIdx.x * kItems + i;
      if (at < keep) out[blockIdx.x * keep + at] = v[i];
    }
    return;
  }
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= n) return;
  const float mine = in[i];
  int rank = 0;
  for (int first = 0; first < n; first += keep) {
    int low = first, high = first + keep;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (before(in[middle], middle, mine, i)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    rank += low - first;
  }
  if (rank < k) out[rank] = mine;
}

extern "C" void solve(const float* input, float* output, int N, int k) {
  const int keep = k < kTile ? k : kTile;
  const int most = (N + kTile - 1) / kTile * keep;
  float* scratch;
  cudaMalloc(&scratch, 2 * sizeof(float) * most);
  const float* in = input;
  float *out = scratch, *other = scratch + most;
  int n = N;
  while (true) {
    const int tiles = (n + kTile - 1) / kTile;
    // Only full tournaments shrink; what does not shrink any more is merged by rank.
    const bool shrinks = tiles * keep < n || tiles == 1 || in == input;
    if (!shrinks) break;
    pass<<<tiles, kThreads>>>(in, tiles == 1 && keep == k ? output : out, n, keep, k, 0);
    if (tiles == 1 && keep == k) {
      cudaFree(scratch);
      return;
    }
    in = out;
    n = tiles * keep;
    float* swap = out;
    out = other;
    other = swap;
    if (tiles == 1) break;
  }
  pass<<<(n + kThreads - 1) / kThreads, kThreads>>>(in, output, n, keep, k, 1);
  cudaFree(scratch);
}
