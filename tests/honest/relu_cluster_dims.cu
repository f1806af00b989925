// zoo: task=relu rules=free device=simt expect=ok class=honest
// Two kernels, of which one is launched in clusters that its own declaration asks for.
#include <cuda_runtime.h>

__device__ unsigned blocks_of_cluster() {
  unsigned n;
  asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(n));
  return n;
}

__global__ void plain(const float* input, float* output, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && blocks_of_cluster() == 1) output[i] = fmaxf(input[i], 0.0f);
}

template <int T>
__global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(T)
    clustered(const float* input, float* output, int n, int from) {
  const int i = from + blockIdx.x * T + threadIdx.x;
  if (i < n && blocks_of_cluster() == 4) output[i] = fmaxf(input[i], 0.0f);
}

extern "C" void solve(const float* input, float* output, int N) {
  const int half = N / 2;
  if (half > 0) plain<<<(half + 255) / 256, 256>>>(input, output, half);
  clustered<256><<<(N - half + 1023) / 1024 * 4, 256>>>(input, output, N, half);
}
