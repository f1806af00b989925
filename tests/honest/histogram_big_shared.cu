// zoo: task=histogram rules=strict device=simt expect=ok class=honest
// Several copies of the histogram in more than 48 KB of dynamic shared memory, one per warp as far
// as they fit, so that warps do not meet at hot bins; none when not even one fits.
#include <cuda_runtime.h>

extern __shared__ unsigned copies[];

__global__ void count(const int* in, int* bins, int n, int num_bins, int copy_count) {
  for (int i = threadIdx.x; i < num_bins * copy_count; i += blockDim.x) copies[i] = 0;
  __syncthreads();
  unsigned* mine = copy_count == 0 ? reinterpret_cast<unsigned*>(bins)
                                   : copies + threadIdx.x / 32 % copy_count * num_bins;
  const int4* vectors = reinterpret_cast<const int4*>(in);
  const int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  auto add = [&](int v) {
    if ((unsigned)v < (unsigned)num_bins) atomicAdd(mine + v, 1u);
  };
  for (int i = thread; i < n / 4; i += threads) {
    const int4 v = vectors[i];
    add(v.x), add(v.y), add(v.z), add(v.w);
  }
  if (thread < n % 4) add(in[n / 4 * 4 + thread]);
  __syncthreads();
  for (int i = threadIdx.x; i < num_bins; i += blockDim.x) {
    unsigned sum = 0;
    for (int c = 0; c < copy_count; ++c) sum += copies[c * num_bins + i];
    if (sum != 0) atomicAdd(bins + i, (int)sum);
  }
}

extern "C" void solve(const int* input, int* histogram, int N, int num_bins) {
  int limit = 0;
  cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
  const int bytes = num_bins * (int)sizeof(unsigned);
  int copies_that_fit = bytes > limit ? 0 : limit / bytes;
  if (copies_that_fit > 16) copies_that_fit = 16;
  int shared = bytes * copies_that_fit;
  if (shared < 50 << 10) shared = 50 << 10;
  cudaFuncSetAttribute(count, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
  cudaMemset(histogram, 0, bytes);
  int blocks = (N + 8191) / 8192;
  count<<<blocks > 16 ? 16 : blocks, 512, shared>>>(input, histogram, N, num_bins, copies_that_fit);
}
