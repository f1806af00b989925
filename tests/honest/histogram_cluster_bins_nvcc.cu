// zoo: task=histogram rules=free device=simt expect=ok class=honest
// Bins are spread over the shared memory of a cluster fixed at compile time; counts go to the block
// that owns the bin by atomics on distributed shared memory.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;
constexpr int kCluster = 4;
extern __shared__ int bins[];

__global__ void __cluster_dims__(kCluster, 1, 1)
    count(const int* in, int* out, int n, int num_bins, int per_block) {
  cg::cluster_group cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < per_block; i += blockDim.x) bins[i] = 0;
  cluster.sync();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int v = in[i];
    if (v < 0 || v >= num_bins) continue;
    atomicAdd(cluster.map_shared_rank(bins, v / per_block) + v % per_block, 1);
  }
  cluster.sync();
  const int first = cluster.block_rank() * per_block;
  for (int i = threadIdx.x; i < per_block && first + i < num_bins; i += blockDim.x)
    if (bins[i] != 0) atomicAdd(&out[first + i], bins[i]);
}

extern "C" void solve(const int* input, int* histogram, int N, int num_bins) {
  cudaMemset(histogram, 0, num_bins * sizeof(int));
  const int per_block = (num_bins + kCluster - 1) / kCluster;
  int clusters = (N + 4 * 1024 - 1) / (4 * 1024);
  if (clusters > 32) clusters = 32;
  count<<<clusters * kCluster, 128, per_block * sizeof(int)>>>(input, histogram, N, num_bins,
                                                              per_block);
}
