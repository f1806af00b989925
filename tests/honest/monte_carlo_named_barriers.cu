// zoo: task=monte_carlo rules=strict device=simt expect=ok class=honest
// Warp specialisation: one warp loads, three add up; named barriers with thread counts hand the
// two buffers back and forth.
#include <cuda_runtime.h>

constexpr int kConsumers = 96, kThreads = 128, kTile = 384;

__device__ void arrive(int id) { asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(kThreads) : "memory"); }
__device__ void meet(int id) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(kThreads) : "memory"); }

__global__ void __launch_bounds__(kThreads) integrate(const float* y, float* out, float a, float b,
                                                      int n, double* sum, unsigned* done) {
  __shared__ float buffer[2][kTile];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int tiles = (n + kTile - 1) / kTile;
  double v = 0;
  // Barriers 1 and 2: a buffer is full. 3 and 4: it is empty again.
  if (warp == 3) {
    int round = 0;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x, ++round) {
      const int stage = round & 1;
      if (round >= 2) meet(3 + stage);
      for (int k = lane; k < kTile; k += 32) {
        const int i = tile * kTile + k;
        buffer[stage][k] = i < n ? y[i] : 0.0f;
      }
      __threadfence_block();
      arrive(1 + stage);
    }
  } else {
    int round = 0;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x, ++round) {
      const int stage = round & 1;
      meet(1 + stage);
      for (int k = threadIdx.x; k < kTile; k += kConsumers) v += buffer[stage][k];
      if (tile + 2 * gridDim.x < tiles) arrive(3 + stage);
    }
  }
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);
  if (lane == 0 && warp != 3) atomicAdd(sum, v);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0 && atomicAdd(done, 1u) == gridDim.x - 1)
    *out = (float)(((double)b - a) * atomicAdd(sum, 0.0) / n);
}

extern "C" void solve(const float* y_samples, float* result, float a, float b, int n_samples) {
  double* sum;
  cudaMalloc(&sum, 16);
  cudaMemsetAsync(sum, 0, 16);
  int blocks = (n_samples + 4 * kTile - 1) / (4 * kTile);
  if (blocks > 24) blocks = 24;
  integrate<<<blocks, kThreads>>>(y_samples, result, a, b, n_samples, sum, (unsigned*)(sum + 1));
  cudaFree(sum);
}
