// zoo: task=reduce rules=strict device=simt expect=ok class=honest
// One cooperative launch sized by the occupancy query; the grid synchronises between the partial
// sums and their sum, which cooperative groups' tiles reduce.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

__global__ void sum(const float* x, double* partial, float* out, int n) {
  cg::grid_group grid = cg::this_grid();
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  double v = 0;
  for (unsigned long long i = grid.thread_rank(); i < n; i += grid.size()) v += x[i];
  v = cg::reduce(tile, v, cg::plus<double>());
  const unsigned warps_per_block = block.size() / 32;
  if (tile.thread_rank() == 0) partial[blockIdx.x * warps_per_block + tile.meta_group_rank()] = v;
  grid.sync();
  if (blockIdx.x != 0 || tile.meta_group_rank() != 0) return;
  v = 0;
  for (unsigned i = tile.thread_rank(); i < gridDim.x * warps_per_block; i += 32) v += partial[i];
  v = cg::reduce(tile, v, cg::plus<double>());
  if (tile.thread_rank() == 0) *out = (float)v;
}

extern "C" void solve(const float* input, float* output, int N) {
  const int threads = 128;
  int per_sm = 0, sms = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, sum, threads, 0);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  int blocks = (N + 8 * threads - 1) / (8 * threads);
  if (blocks > per_sm * sms) blocks = per_sm * sms;
  if (blocks > 32) blocks = 32;
  double* partial = nullptr;
  if (cudaMallocAsync(&partial, sizeof(double) * blocks * threads / 32, 0) != cudaSuccess) return;
  void* arguments[] = {&input, &partial, &output, &N};
  cudaLaunchCooperativeKernel((const void*)sum, dim3(blocks), dim3(threads), arguments, 0, 0);
  cudaFreeAsync(partial, 0);
}
