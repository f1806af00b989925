// zoo: task=reduce rules=strict device=simt expect=ok class=honest
// cause: 4
// A cluster of two whose blocks stay until the other has read their shared memory.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;
__global__ void sum(const float* x, float* out, int n) {
  __shared__ double part[256];
  cg::cluster_group cluster = cg::this_cluster();
  double s = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 512) s += x[i];
  part[threadIdx.x] = s;
  for (int w = 128; w > 0; w /= 2) {
    __syncthreads();
    if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w];
  }
  cluster.sync();
  if (blockIdx.x == 1 && threadIdx.x == 0) out[0] = (float)(part[0] + *cluster.map_shared_rank(part, 0));
  cluster.sync();
}
extern "C" void solve(const float* input, float* output, int N) {
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 2;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(2);
  config.blockDim = dim3(256);
  config.attrs = &attribute;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, sum, input, output, N);
}
