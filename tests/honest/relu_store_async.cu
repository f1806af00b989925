// zoo: task=relu rules=free device=simt expect=ok class=honest
// Blocks of a cluster mail their results to each other (st.async). Where the grid is odd the cluster
// has one block, which mails to itself: a launch has to ask for that cluster as well.
#include <cuda_runtime.h>

constexpr int kThreads = 256;

__device__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ unsigned at_rank(unsigned address, unsigned rank) {
  unsigned far;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(far) : "r"(address), "r"(rank));
  return far;
}

__device__ void meet() {
  asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__global__ void __launch_bounds__(kThreads) mail(const float* input, float* output, int n) {
  __shared__ alignas(8) unsigned long long arrived;
  __shared__ float box[kThreads];
  unsigned rank, blocks;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
  const unsigned barrier = shared_address(&arrived);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(kThreads * 4) : "memory");
  }
  meet();
  const unsigned peer = (rank + 1) % blocks;
  const int first = (int)(blockIdx.x - rank) * kThreads;
  const int i = first + (int)peer * kThreads + threadIdx.x;
  const float value = i < n ? fmaxf(input[i], 0.0f) : 0.0f;
  asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(
                   at_rank(shared_address(&box[threadIdx.x]), peer)),
               "r"(__float_as_uint(value)), "r"(at_rank(barrier, peer))
               : "memory");
  unsigned done = 0;
  while (!done) {
    asm volatile(
        "{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0;\n\t"
        "selp.u32 %0, 1, 0, p;\n\t}"
        : "=r"(done)
        : "r"(barrier)
        : "memory");
  }
  const int mine = first + (int)rank * kThreads + threadIdx.x;
  if (mine < n) output[mine] = box[threadIdx.x];
  meet();
}

extern "C" void solve(const float* input, float* output, int N) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3((N + kThreads - 1) / kThreads);
  config.blockDim = dim3(kThreads);
  cudaLaunchAttribute attribute[1];
  attribute[0].id = cudaLaunchAttributeClusterDimension;
  attribute[0].val.clusterDim.x = config.gridDim.x % 2 == 0 ? 2 : 1;
  attribute[0].val.clusterDim.y = 1;
  attribute[0].val.clusterDim.z = 1;
  config.attrs = attribute;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, mail, (const float*)input, output, N);
}
