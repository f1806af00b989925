// SPDX-License-Identifier: Apache-2.0
// Cooperative groups: blocks, tiles, coalesced threads, grid sync, reduce and scan; pipeline
// copies.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;
__global__ void k(int* y, const float4* x) {
  __shared__ float4 buf[64];
  cg::thread_block block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  auto tile = cg::tiled_partition<8>(warp);
  cg::thread_block_tile<4> t4 = cg::tiled_partition<4>(block);
  int v = y[block.thread_rank()];
  for (int o = warp.size() / 2; o > 0; o /= 2) v += warp.shfl_down(v, o);
  v += cg::reduce(tile, v, cg::plus<int>()) + cg::reduce(warp, 1.5f, cg::greater<float>());
  v += cg::inclusive_scan(warp, v) + t4.any(v) + cg::reduce(warp, (double)v, cg::plus<double>());
  if (v & 1) {
    auto c = cg::coalesced_threads();
    if (c.thread_rank() == 0) atomicAdd(y, c.size());
    v += c.shfl(v, 0);
  }
  __pipeline_memcpy_async(&buf[threadIdx.x], x + threadIdx.x, 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  block.sync();
  cg::sync(warp);
  cg::grid_group grid = cg::this_grid();
  grid.sync();
  y[grid.thread_rank()] = v + buf[3].x + block.group_index().x;
}
extern "C" void solve(int* y, const float4* x) {
  void* a[] = {&y, &x};
  cudaLaunchCooperativeKernel((void*)k, 4, 64, a);
}
