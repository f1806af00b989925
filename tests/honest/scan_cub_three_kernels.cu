// zoo: task=scan rules=free device=simt expect=ok class=honest
// Reduce, scan the sums, scan the tiles: three kernels over cub::BlockScan and BlockReduce, with
// scratch from a stream-ordered pool.
#include <cub/cub.cuh>
#include <cuda_runtime.h>

constexpr int kThreads = 128, kItems = 4, kTile = kThreads * kItems;

__global__ void reduce_tiles(const float* in, double* sums, int n) {
  using Reduce = cub::BlockReduce<double, kThreads>;
  __shared__ typename Reduce::TempStorage storage;
  double v = 0;
  for (int k = 0; k < kItems; ++k) {
    const int i = blockIdx.x * kTile + k * kThreads + threadIdx.x;
    if (i < n) v += in[i];
  }
  v = Reduce(storage).Sum(v);
  if (threadIdx.x == 0) sums[blockIdx.x] = v;
}

__global__ void scan_sums(double* sums, int count) {
  using Scan = cub::BlockScan<double, kThreads>;
  __shared__ typename Scan::TempStorage storage;
  double before = 0;
  for (int base = 0; base < count; base += kThreads) {
    const int i = base + threadIdx.x;
    double v = i < count ? sums[i] : 0.0, exclusive, total;
    Scan(storage).ExclusiveSum(v, exclusive, total);
    __syncthreads();
    if (i < count) sums[i] = before + exclusive;
    before += total;
  }
}

__global__ void scan_tiles(const float* in, const double* sums, float* out, int n) {
  using Scan = cub::BlockScan<double, kThreads>;
  __shared__ typename Scan::TempStorage storage;
  const int base = blockIdx.x * kTile + threadIdx.x * kItems;
  double v[kItems];
  for (int k = 0; k < kItems; ++k) v[k] = base + k < n ? in[base + k] : 0.0f;
  Scan(storage).InclusiveSum(v, v);
  for (int k = 0; k < kItems; ++k)
    if (base + k < n) out[base + k] = (float)(v[k] + sums[blockIdx.x]);
}

extern "C" void solve(const float* input, float* output, int N) {
  const int tiles = (N + kTile - 1) / kTile;
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  double* sums;
  cudaMallocAsync((void**)&sums, tiles * sizeof(double), stream);
  reduce_tiles<<<tiles, kThreads, 0, stream>>>(input, sums, N);
  scan_sums<<<1, kThreads, 0, stream>>>(sums, tiles);
  scan_tiles<<<tiles, kThreads, 0, stream>>>(input, sums, output, N);
  cudaFreeAsync(sums, stream);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
}
