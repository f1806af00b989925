// SPDX-License-Identifier: Apache-2.0
// Stands before the text of every reference.cu: what references on a device have in common.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

typedef unsigned long long u64;

/// Threads of a block in all references.
constexpr int kBlock = 256;

/// Blocks for n threads, as many as are of use; loops go on by `grid_threads()`.
inline unsigned blocks_for(u64 n) {
  const u64 blocks = (n + kBlock - 1) / kBlock;
  return unsigned(blocks < 1 ? 1 : blocks < 4096 ? blocks : 4096);
}
/// Blocks for n rows, one at a time.
inline unsigned blocks_of_rows(u64 n) { return unsigned(n < 1 ? 1 : n < 65535 ? n : 65535); }

__device__ inline u64 grid_thread() { return u64(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ inline u64 grid_threads() { return u64(gridDim.x) * blockDim.x; }

/// Whether a row is to be computed. choice[0] is a secret drawn after the call, choice[1] a share
/// of 2^32. Rows that are not chosen are set to NaN, which is not compared.
__device__ inline bool chosen(const u64* choice, u64 row) {
  if (choice[1] >> 32) return true;
  u64 z = choice[0] + (row + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return ((z ^ (z >> 31)) >> 32) < choice[1];
}
__device__ inline double not_compared() { return __longlong_as_double(0x7FF8000000000000ll); }

/// Over a block of kBlock threads, for all of them.
__device__ inline double block_sum(double value) {
  __shared__ double parts[kBlock / 32];
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, distance);
  __syncthreads();
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  double sum = 0;
  for (int i = 0; i < kBlock / 32; ++i) sum += parts[i];
  return sum;
}
__device__ inline double block_max(double value) {
  __shared__ double parts[kBlock / 32];
  for (int distance = 16; distance > 0; distance /= 2)
    value = fmax(value, __shfl_xor_sync(0xffffffffu, value, distance));
  __syncthreads();
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  double largest = parts[0];
  for (int i = 1; i < kBlock / 32; ++i) largest = fmax(largest, parts[i]);
  return largest;
}

/// Sums of a block, added to a number of the whole grid.
__device__ inline void add_block_sum(double* to, double value) {
  const double sum = block_sum(value);
  if (threadIdx.x == 0) atomicAdd(to, sum);
}

inline void set_to_zero(double* values, u64 count) {
  cudaMemsetAsync(values, 0, count * sizeof(double));
}

/// Softmax-weighted means of rows of values, kBlock of their columns at a time, by one block. Keys
/// come in tiles; the largest score so far is subtracted.
struct Attention {
  double largest = -INFINITY, total = 0, sum = 0;
  double size = 0;                      ///< the largest score if all its products were positive
  double weighted = 0, magnitudes = 0;  ///< of the values, with weights and without

  /// `key(p)` and `value(p)` are rows of d floats, for p = 0 .. count-1; `column` is the thread's.
  template <class Key, class Value>
  __device__ void add(const float* query, int d, int count, int column, Key key, Value value) {
    __shared__ double weights[kBlock];
    for (int tile = 0; tile < count; tile += kBlock) {
      const int p = tile + int(threadIdx.x);
      double score = -INFINITY, positive = 0;
      if (p < count) {
        const float* k = key(p);
        double dot = 0;
        for (int j = 0; j < d; ++j) {
          dot += double(query[j]) * k[j];
          positive += fabs(double(query[j]) * k[j]);
        }
        score = dot / sqrt(double(d));
      }
      size = fmax(size, block_max(positive / sqrt(double(d))));
      __syncthreads();
      const double now = fmax(largest, block_max(score));
      const double before = exp(largest - now);
      const double weight = p < count ? exp(score - now) : 0.0;
      largest = now;
      __syncthreads();
      weights[threadIdx.x] = weight;
      total = total * before + block_sum(weight);
      sum *= before;
      weighted *= before;
      const int here = count - tile < kBlock ? count - tile : kBlock;
      if (column < d)
        for (int i = 0; i < here; ++i) {
          const double v = value(tile + i)[column];
          sum += weights[i] * v;
          weighted += weights[i] * fabs(v);
          magnitudes += fabs(v);
        }
      __syncthreads();
    }
  }
  __device__ double mean() const { return total > 0 ? sum / total : 0.0; }
};
