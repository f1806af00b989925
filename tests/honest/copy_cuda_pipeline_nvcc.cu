// zoo: task=copy rules=strict device=simt expect=ok class=honest
// libcu++: a cuda::pipeline with two stages of block scope and cuda::memcpy_async between global
// and shared memory.
#include <cooperative_groups.h>
#include <cuda/pipeline>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;
constexpr int kThreads = 128, kWords = 512, kStages = 2;

__global__ void __launch_bounds__(kThreads) copy(const float* a, float* b, long long n) {
  __shared__ __align__(16) float tiles[kStages][kWords];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  const long long tile_count = (n + kWords - 1) / kWords;
  auto fetch = [&](long long tile, int stage) {
    pipe.producer_acquire();
    if (tile < tile_count) {
      const long long first = tile * kWords;
      const size_t words = n - first < kWords ? (size_t)(n - first) : kWords;
      cuda::memcpy_async(block, tiles[stage], a + first, words * sizeof(float), pipe);
    }
    pipe.producer_commit();
  };
  long long fetched = blockIdx.x;
  for (int s = 0; s < kStages; ++s, fetched += gridDim.x) fetch(fetched, s);
  int stage = 0;
  for (long long tile = blockIdx.x; tile < tile_count; tile += gridDim.x) {
    pipe.consumer_wait();
    const long long first = tile * kWords;
    for (int i = threadIdx.x; i < kWords && first + i < n; i += kThreads)
      b[first + i] = tiles[stage][i];
    pipe.consumer_release();
    fetch(fetched, stage);
    fetched += gridDim.x;
    stage = (stage + 1) % kStages;
  }
  for (int s = 0; s < kStages; ++s) {
    pipe.consumer_wait();
    pipe.consumer_release();
  }
}

extern "C" void solve(const float* A, float* B, int N) {
  const long long n = (long long)N * N;
  long long blocks = (n + 4 * kWords - 1) / (4 * kWords);
  copy<<<(unsigned)(blocks > 528 ? 528 : blocks), kThreads>>>(A, B, n);
}
