// zoo: task=reduce rules=strict device=simt expect=ok class=honest
// cub::BlockReduce with several items a thread, launched until one value is left: the passes
// ping-pong between two halves of a scratch buffer.
#include <cub/block/block_load.cuh>
#include <cub/block/block_reduce.cuh>
#include <cuda_runtime.h>

constexpr int kThreads = 128, kItems = 4, kTile = kThreads * kItems;

__global__ void __launch_bounds__(kThreads)
    pass(const float* first, const double* in, double* out, float* last, int n) {
  using Reduce = cub::BlockReduce<double, kThreads>;
  __shared__ typename Reduce::TempStorage storage;
  const int base = blockIdx.x * kTile;
  double items[kItems];
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    const int at = base + i * kThreads + (int)threadIdx.x;
    items[i] = at >= n ? 0.0 : first != nullptr ? (double)first[at] : in[at];
  }
  const double total = Reduce(storage).Sum(items);
  if (threadIdx.x != 0) return;
  if (gridDim.x == 1) {
    *last = (float)total;
  } else {
    out[blockIdx.x] = total;
  }
}

extern "C" void solve(const float* input, float* output, int N) {
  const int most = (N + kTile - 1) / kTile;
  double* scratch = nullptr;
  cudaMalloc(&scratch, 2 * sizeof(double) * most);
  double *in = scratch, *out = scratch + most;
  const float* first = input;
  for (int n = N; n > 0;) {
    const int blocks = (n + kTile - 1) / kTile;
    pass<<<blocks, kThreads>>>(first, in, out, output, n);
    first = nullptr;
    double* swap = in;
    in = out;
    out = swap;
    n = blocks == 1 ? 0 : blocks;
  }
  cudaFree(scratch);
}
