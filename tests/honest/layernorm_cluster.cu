// zoo: task=layernorm rules=free device=simt expect=ok class=honest
// A cluster of four blocks owns a row; partial sums are read from the other blocks' shared memory
// through the cluster's address map, between cluster barriers.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;
constexpr int kThreads = 128, kCluster = 4;

__device__ double cluster_sum(double v, double* cell) {
  __shared__ double warps[kThreads / 32];
  cg::cluster_group cluster = cg::this_cluster();
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    double sum = 0;
    for (double w : warps) sum += w;
    *cell = sum;
  }
  cluster.sync();
  v = 0;
  for (unsigned r = 0; r < cluster.num_blocks(); ++r) v += *cluster.map_shared_rank(cell, r);
  cluster.sync();
  return v;
}

__global__ void __launch_bounds__(kThreads)
    normalise(const float* in, const float* weight, const float* bias, float* out, int c,
              float eps) {
  __shared__ double cell;
  const unsigned rank = cg::this_cluster().block_rank();
  const size_t row = (size_t)(blockIdx.x / kCluster) * c;
  double v = 0;
  for (int i = rank * kThreads + threadIdx.x; i < c; i += kCluster * kThreads) v += in[row + i];
  const double mean = cluster_sum(v, &cell) / c;
  v = 0;
  for (int i = rank * kThreads + threadIdx.x; i < c; i += kCluster * kThreads) {
    const double d = in[row + i] - mean;
    v += d * d;
  }
  const float scale = (float)(1.0 / sqrt(cluster_sum(v, &cell) / c + eps));
  for (int i = rank * kThreads + threadIdx.x; i < c; i += kCluster * kThreads)
    out[row + i] = (float)(in[row + i] - mean) * scale * weight[i] + bias[i];
}

extern "C" void solve(const float* input, const float* weight, const float* bias, float* output,
                      int N, int C, float eps) {
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = kCluster;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(N * kCluster);
  config.blockDim = dim3(kThreads);
  config.attrs = &attribute;
  config.numAttrs = 1;
  int clusters = 0;
  cudaOccupancyMaxActiveClusters(&clusters, normalise, &config);
  if (clusters == 0 || cudaGetLastError() != cudaSuccess) return;
  cudaLaunchKernelEx(&config, normalise, input, weight, bias, output, C, eps);
}
