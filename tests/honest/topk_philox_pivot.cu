// zoo: task=topk rules=strict device=simt expect=ok class=honest
// Quickselect in one block: pivots are drawn by cuRAND's Philox on the device, ballots count the
// sides, shared counters decide; then selected values are ranked.
#include <cuda_runtime.h>
#include <curand_kernel.h>

constexpr int kThreads = 256;

__device__ unsigned key_of(float x) {
  const unsigned b = __float_as_uint(x);
  return b ^ (unsigned)((int)b >> 31 | 0x80000000);
}
__device__ float value_of(unsigned key) {
  return __uint_as_float(key ^ ((key >> 31) != 0 ? 0x80000000u : 0xffffffffu));
}
__device__ int counted(bool yes, int* cell) {
  if (threadIdx.x == 0) *cell = 0;
  __syncthreads();
  const unsigned lanes = __ballot_sync(~0u, yes);
  if (threadIdx.x % 32 == 0 && lanes != 0) atomicAdd(cell, __popc(lanes));
  __syncthreads();
  const int n = *cell;
  __syncthreads();
  return n;
}

__global__ void __launch_bounds__(kThreads)
    select(const float* x, float* out, float* found, int n, int k) {
  __shared__ int cell, filled;
  __shared__ unsigned pivot;
  curandStatePhilox4_32_10_t random;
  curand_init(1234, 0, 0, &random);
  unsigned low = 0, high = 0xffffffffu;  // the k-th largest key is in [low, high]
  while (low < high) {
    if (threadIdx.x == 0) {
      const unsigned guess = key_of(x[curand(&random) % (unsigned)n]);
      // A sample outside of the range says nothing; the middle always does.
      pivot = guess > low && guess <= high ? guess : low + (high - low) / 2 + 1;
    }
    __syncthreads();
    int at_least = 0;
    for (int base = 0; base < n; base += kThreads) {
      const int i = base + threadIdx.x;
      at_least += i < n && key_of(x[i]) >= pivot;
    }
    if (threadIdx.x == 0) cell = 0;
    __syncthreads();
    at_least = __reduce_add_sync(~0u, at_least);
    if (threadIdx.x % 32 == 0) atomicAdd(&cell, at_least);
    __syncthreads();
    if (cell >= k) {
      low = pivot;
    } else {
      high = pivot - 1;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) filled = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += kThreads)
    if (key_of(x[i]) > low) found[atomicAdd(&filled, 1)] = x[i];
  __syncthreads();
  const int above = filled;
  for (int i = threadIdx.x; i < k; i += kThreads) {
    if (i >= above) {
      out[i] = value_of(low);
      continue;
    }
    const unsigned mine = key_of(found[i]);
    int rank = 0;
    for (int j = 0; j < above; ++j) {
      const unsigned other = key_of(found[j]);
      rank += other > mine || (other == mine && j < i);
    }
    out[rank] = found[i];
  }
  if (counted(false, &cell) != 0) __trap();
}

extern "C" void solve(const float* input, float* output, int N, int k) {
  float* found;
  cudaMalloc(&found, k * sizeof(float));
  select<<<1, kThreads>>>(input, output, found, N, k);
  cudaFree(found);
}
