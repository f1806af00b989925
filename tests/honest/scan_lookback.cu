// zoo: task=scan rules=strict device=simt expect=ok class=honest
// Decoupled look-back in one pass: a tile publishes its sum, then its prefix, as one 64-bit word
// of value and state; a warp looks back over 32 predecessors at a time.
#include <cuda_runtime.h>

constexpr int kThreads = 128, kItems = 8, kTile = kThreads * kItems;
enum : unsigned { kNothing = 0, kSum = 1, kPrefix = 2 };

__device__ unsigned long long packed(unsigned state, float v) {
  return (unsigned long long)state << 32 | __float_as_uint(v);
}

__device__ float look_back(volatile unsigned long long* states, int tile) {
  const int lane = threadIdx.x;
  float sum = 0;
  for (int last = tile - 1;; last -= 32) {
    const int at = last - lane;
    unsigned long long word = packed(kPrefix, 0.0f);
    if (at >= 0) {
      while ((unsigned)((word = states[at]) >> 32) == kNothing) __nanosleep(20);
    }
    const unsigned done = __ballot_sync(~0u, (unsigned)(word >> 32) == kPrefix);
    const int stop = done == 0 ? 31 : __ffs(done) - 1;
    float v = lane <= stop ? __uint_as_float((unsigned)word) : 0.0f;
    for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);
    sum += v;
    if (done != 0) return sum;
  }
}

__global__ void __launch_bounds__(kThreads)
    scan(const float* in, float* out, int n, unsigned* next, unsigned long long* states) {
  __shared__ float items[kTile + kTile / 32], warps[kThreads / 32], before;
  __shared__ int ticket;
  if (threadIdx.x == 0) ticket = (int)atomicAdd(next, 1u);
  __syncthreads();
  const int tile = ticket, base = tile * kTile;
  for (int i = threadIdx.x; i < kTile; i += kThreads)
    items[i + i / 32] = base + i < n ? in[base + i] : 0.0f;
  __syncthreads();
  float v[kItems], sum = 0;
  for (int k = 0; k < kItems; ++k) {
    const int i = threadIdx.x * kItems + k;
    v[k] = sum += items[i + i / 32];
  }
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float inclusive = sum;
  for (int d = 1; d < 32; d *= 2) {
    const float left = __shfl_up_sync(~0u, inclusive, d);
    if (lane >= d) inclusive += left;
  }
  if (lane == 31) warps[warp] = inclusive;
  __syncthreads();
  float offset = 0, total = 0;
  for (int w = 0; w < kThreads / 32; ++w) {
    if (w < warp) offset += warps[w];
    total += warps[w];
  }
  if (warp == 0) {
    if (lane == 0) {
      __threadfence();
      atomicExch(&states[tile], packed(tile == 0 ? kPrefix : kSum, total));
    }
    float prefix = 0;
    if (tile > 0) {
      prefix = look_back(states, tile);
      if (lane == 0) {
        __threadfence();
        atomicExch(&states[tile], packed(kPrefix, prefix + total));
      }
    }
    if (lane == 0) before = prefix;
  }
  __syncthreads();
  // Not inclusive - sum: a large element of this thread would take the digits of what came before it.
  const float left = __shfl_up_sync(~0u, inclusive, 1);
  offset += before + (lane > 0 ? left : 0.0f);
  for (int k = 0; k < kItems; ++k) {
    const int i = threadIdx.x * kItems + k;
    items[i + i / 32] = v[k] + offset;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kTile; i += kThreads)
    if (base + i < n) out[base + i] = items[i + i / 32];
}

extern "C" void solve(const float* input, float* output, int N) {
  const int tiles = (N + kTile - 1) / kTile;
  unsigned long long* states;
  cudaMalloc(&states, (tiles + 1) * sizeof *states);
  cudaMemset(states, 0, (tiles + 1) * sizeof *states);
  scan<<<tiles, kThreads>>>(input, output, N, (unsigned*)(states + tiles), states);
  cudaFree(states);
}
