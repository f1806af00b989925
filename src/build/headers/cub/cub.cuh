// SPDX-License-Identifier: Apache-2.0
// CUB's block and warp primitives as far as kernels use them most: reduce, scan, radix sort, load
// and store. Device-wide algorithms are not here; with nvcc the toolkit's own CUB is used instead.
#pragma once

#include <cuda_runtime.h>
#include <cuda/functional>

// What is inlined from here counts as the line of the call.
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

#if defined(__CUDA__)

namespace cub {

struct Sum {
  template <class T>
  __host__ __device__ T operator()(const T& a, const T& b) const {
    return a + b;
  }
};
struct Max {
  template <class T>
  __host__ __device__ T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};
struct Min {
  template <class T>
  __host__ __device__ T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};

struct NullType {};
enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
  BLOCK_REDUCE_RAKING,
  BLOCK_REDUCE_WARP_REDUCTIONS
};
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE
};
enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE
};

namespace ww {

static inline __device__ int linear_thread() {
  return (int)((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
}

/// Any trivially copyable value moves between lanes as 32-bit words.
template <class T, class Move>
static inline __device__ T move_words(T value, Move move) {
  unsigned words[(sizeof(T) + 3) / 4] = {};
  __builtin_memcpy(words, &value, sizeof(T));
  for (unsigned& word : words) word = move(word);
  __builtin_memcpy(&value, words, sizeof(T));
  return value;
}
/// The value of the lane `delta` further on (back for negative), or one's own where that lane is
/// not among the first `lanes` of the tile of `width`.
template <class T>
static inline __device__ T neighbour(T value, int lane, int delta, int lanes, int width,
                                     unsigned mask) {
  const int wanted = lane + delta;
  const int source = wanted >= 0 && wanted < lanes ? wanted : lane;
  return move_words(value, [=](unsigned w) { return __shfl_sync(mask, w, source, width); });
}

template <int Bytes>
struct unsigned_named;
template <>
struct unsigned_named<1> {
  typedef unsigned char type;
};
template <>
struct unsigned_named<2> {
  typedef unsigned short type;
};
template <>
struct unsigned_named<4> {
  typedef unsigned type;
};
template <>
struct unsigned_named<8> {
  typedef unsigned long long type;
};
template <int Bytes>
using unsigned_of = typename unsigned_named<Bytes>::type;
template <class T>
struct is_floating {
  enum { value = 0 };
};
template <>
struct is_floating<float> {
  enum { value = 1 };
};
template <>
struct is_floating<double> {
  enum { value = 1 };
};

/// How many lanes of the thread's warp exist in a block of `threads`.
static inline __device__ int warp_lanes(int thread, int threads) {
  const int left = threads - (thread & ~31);
  return left >= 32 ? 32 : left;
}
static inline __device__ unsigned first_lanes(int lanes) {
  return lanes >= 32 ? 0xFFFFFFFFU : (1U << lanes) - 1;
}
/// The lanes of the thread's logical warp, of which one warp holds several.
template <int Width>
static inline __device__ unsigned logical_warp() {
  return first_lanes(Width) << (linear_thread() % 32 / Width * Width);
}

}  // namespace ww

template <class T, int Width = 32>
class WarpReduce {
 public:
  struct TempStorage {
    NullType unused;
  };
  __device__ explicit WarpReduce(TempStorage&) {}
  template <class Op>
  __device__ T Reduce(T value, Op op, int valid = Width) {
    const int lane = ww::linear_thread() % Width;
    const unsigned lanes = ww::logical_warp<Width>();
    for (int delta = 1; delta < Width; delta *= 2) {
      const T other = ww::neighbour(value, lane, delta, Width, Width, lanes);
      if (lane + delta < valid) value = op(value, other);
    }
    return value;
  }
  __device__ T Sum(T value) { return Reduce(value, cub::Sum()); }
  __device__ T Sum(T value, int valid) { return Reduce(value, cub::Sum(), valid); }
};

template <class T, int Width = 32>
class WarpScan {
 public:
  struct TempStorage {
    NullType unused;
  };
  __device__ explicit WarpScan(TempStorage&) {}
  template <class Op>
  __device__ void InclusiveScan(T in, T& out, Op op) {
    const int lane = ww::linear_thread() % Width;
    const unsigned lanes = ww::logical_warp<Width>();
    for (int delta = 1; delta < Width; delta *= 2) {
      const T other = ww::neighbour(in, lane, -delta, Width, Width, lanes);
      if (lane >= delta) in = op(other, in);
    }
    out = in;
  }
  template <class Op>
  __device__ void ExclusiveScan(T in, T& out, T initial, Op op) {
    T inclusive;
    InclusiveScan(in, inclusive, op);
    const int lane = ww::linear_thread() % Width;
    const T before = ww::neighbour(inclusive, lane, -1, Width, Width, ww::logical_warp<Width>());
    out = lane == 0 ? initial : op(initial, before);
  }
  __device__ void InclusiveSum(T in, T& out) { InclusiveScan(in, out, cub::Sum()); }
  __device__ void ExclusiveSum(T in, T& out) { ExclusiveScan(in, out, T{}, cub::Sum()); }
};

template <class T, int X, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1,
          int Arch = 0>
class BlockReduce {
  static constexpr int kThreads = X * Y * Z;
  static constexpr int kWarps = (kThreads + 31) / 32;

 public:
  struct TempStorage {
    __align__(16) char bytes[sizeof(T) * kWarps];
  };
  __device__ explicit BlockReduce(TempStorage& storage) : parts_((T*)storage.bytes) {}

  /// The result is valid in thread 0.
  template <class Op>
  __device__ T Reduce(T value, Op op, int valid = kThreads) {
    const int thread = ww::linear_thread(), lane = thread & 31;
    const int lanes = ww::warp_lanes(thread, kThreads);
    for (int delta = 1; delta < 32; delta *= 2) {
      const T other = ww::neighbour(value, lane, delta, lanes, 32, ww::first_lanes(lanes));
      if (lane + delta < 32 && thread + delta < valid) value = op(value, other);
    }
    if (kWarps == 1) return value;
    if ((thread & 31) == 0) parts_[thread / 32] = value;
    __syncthreads();
    if (thread == 0) {
      for (int warp = 1; warp < kWarps && warp * 32 < valid; ++warp)
        value = op(value, parts_[warp]);
    }
    return value;
  }
  template <int N, class Op>
  __device__ T Reduce(T (&items)[N], Op op) {
    T value = items[0];
    for (int i = 1; i < N; ++i) value = op(value, items[i]);
    return Reduce(value, op);
  }
  __device__ T Sum(T value) { return Reduce(value, cub::Sum()); }
  __device__ T Sum(T value, int valid) { return Reduce(value, cub::Sum(), valid); }
  template <int N>
  __device__ T Sum(T (&items)[N]) {
    return Reduce(items, cub::Sum());
  }

 private:
  T* parts_;
};

template <class T, int X, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1,
          int Arch = 0>
class BlockScan {
  static constexpr int kThreads = X * Y * Z;
  static constexpr int kWarps = (kThreads + 31) / 32;

 public:
  struct TempStorage {
    __align__(16) char bytes[sizeof(T) * (kWarps + 1)];
  };
  __device__ explicit BlockScan(TempStorage& storage) : parts_((T*)storage.bytes) {}

  template <class Op>
  __device__ void InclusiveScan(T in, T& out, Op op) {
    T total;
    InclusiveScan(in, out, op, total);
  }
  template <class Op>
  __device__ void InclusiveScan(T in, T& out, Op op, T& total) {
    bool first;
    T before;
    scan(in, out, before, first, op, total);
  }
  template <class Op>
  __device__ void ExclusiveScan(T in, T& out, T initial, Op op) {
    T total;
    ExclusiveScan(in, out, initial, op, total);
  }
  template <class Op>
  __device__ void ExclusiveScan(T in, T& out, T initial, Op op, T& total) {
    bool first;
    T inclusive, before;
    scan(in, inclusive, before, first, op, total);
    out = first ? initial : op(initial, before);
  }
  __device__ void InclusiveSum(T in, T& out) { InclusiveScan(in, out, cub::Sum()); }
  __device__ void InclusiveSum(T in, T& out, T& total) {
    InclusiveScan(in, out, cub::Sum(), total);
  }
  __device__ void ExclusiveSum(T in, T& out) { ExclusiveScan(in, out, T{}, cub::Sum()); }
  __device__ void ExclusiveSum(T in, T& out, T& total) {
    ExclusiveScan(in, out, T{}, cub::Sum(), total);
  }
  template <int N>
  __device__ void InclusiveSum(T (&in)[N], T (&out)[N]) {
    T total;
    InclusiveSum(in, out, total);
  }
  template <int N>
  __device__ void InclusiveSum(T (&in)[N], T (&out)[N], T& total) {
    T sum = in[0];
    for (int i = 1; i < N; ++i) sum = sum + in[i];
    T before;
    ExclusiveSum(sum, before, total);
    for (int i = 0; i < N; ++i) out[i] = before = before + in[i];
  }
  template <int N>
  __device__ void ExclusiveSum(T (&in)[N], T (&out)[N]) {
    T total;
    ExclusiveSum(in, out, total);
  }
  template <int N>
  __device__ void ExclusiveSum(T (&in)[N], T (&out)[N], T& total) {
    T sum = in[0];
    for (int i = 1; i < N; ++i) sum = sum + in[i];
    T before;
    ExclusiveSum(sum, before, total);
    for (int i = 0; i < N; ++i) {
      const T item = in[i];
      out[i] = before;
      before = before + item;
    }
  }

 private:
  /// `before` is the scan up to the thread before this one; the first thread has none.
  template <class Op>
  __device__ void scan(T in, T& inclusive, T& before, bool& first, Op op, T& total) {
    const int thread = ww::linear_thread(), lane = thread & 31, warp = thread / 32;
    const int lanes = ww::warp_lanes(thread, kThreads);
    const unsigned mask = ww::first_lanes(lanes);
    for (int delta = 1; delta < 32; delta *= 2) {
      const T other = ww::neighbour(in, lane, -delta, lanes, 32, mask);
      if (lane >= delta) in = op(other, in);
    }
    const T left = ww::neighbour(in, lane, -1, lanes, 32, mask);
    if (lane == 31 || thread == kThreads - 1) parts_[warp] = in;
    __syncthreads();
    T prefix = parts_[0];
    for (int i = 1; i < warp; ++i) prefix = op(prefix, parts_[i]);
    total = parts_[0];
    for (int i = 1; i < kWarps; ++i) total = op(total, parts_[i]);
    first = thread == 0;
    inclusive = warp == 0 ? in : op(prefix, in);
    before = lane == 0 ? prefix : warp == 0 ? left : op(prefix, left);
  }
  T* parts_;
};

/// Sorts the block's keys, a bit at a time; each thread holds Items neighbours. Values may follow.
template <class Key, int X, int Items, class Value = NullType, int Bits = 4, bool Memoize = true,
          BlockScanAlgorithm Algorithm = BLOCK_SCAN_WARP_SCANS>
class BlockRadixSort {
  static constexpr bool kHasValues = sizeof(Value) != sizeof(NullType);
  using Scan = BlockScan<int, X>;
  using Word = ww::unsigned_of<sizeof(Key)>;

 public:
  struct TempStorage {
    typename Scan::TempStorage scan;
    __align__(16) char keys[sizeof(Key) * X * Items];
    __align__(16) char values[kHasValues ? sizeof(Value) * X * Items : 1];
  };
  __device__ explicit BlockRadixSort(TempStorage& storage) : storage_(storage) {}

  __device__ void Sort(Key (&keys)[Items], int first = 0, int last = 8 * sizeof(Key)) {
    sort(keys, (Value*)nullptr, first, last, false, false);
  }
  __device__ void SortDescending(Key (&keys)[Items], int first = 0, int last = 8 * sizeof(Key)) {
    sort(keys, (Value*)nullptr, first, last, true, false);
  }
  __device__ void Sort(Key (&keys)[Items], Value (&values)[Items], int first = 0,
                       int last = 8 * sizeof(Key)) {
    sort(keys, values, first, last, false, false);
  }
  __device__ void SortDescending(Key (&keys)[Items], Value (&values)[Items], int first = 0,
                                 int last = 8 * sizeof(Key)) {
    sort(keys, values, first, last, true, false);
  }
  __device__ void SortBlockedToStriped(Key (&keys)[Items], int first = 0,
                                       int last = 8 * sizeof(Key)) {
    sort(keys, (Value*)nullptr, first, last, false, true);
  }
  __device__ void SortDescendingBlockedToStriped(Key (&keys)[Items], int first = 0,
                                                 int last = 8 * sizeof(Key)) {
    sort(keys, (Value*)nullptr, first, last, true, true);
  }

 private:
  /// The bits of a key, ordered like the key.
  __device__ static Word ordered(Key key) {
    Word word;
    __builtin_memcpy(&word, &key, sizeof word);
    constexpr Word kSign = (Word)((Word)1 << (8 * sizeof(Word) - 1));
    if (ww::is_floating<Key>::value) return word & kSign ? (Word)~word : (Word)(word | kSign);
    return (Key)-1 < (Key)0 ? (Word)(word ^ kSign) : word;
  }
  __device__ void sort(Key (&keys)[Items], Value* values, int first, int last, bool descending,
                       bool striped) {
    const int thread = ww::linear_thread();
    Key* const key_cells = (Key*)storage_.keys;
    Value* const value_cells = (Value*)storage_.values;
    for (int bit = first; bit < last || bit == first; ++bit) {
      int ones = 0, before, total;
      for (int i = 0; i < Items; ++i) ones += goes_up(keys[i], bit, last, descending);
      __syncthreads();
      Scan(storage_.scan).ExclusiveSum(ones, before, total);
      const int zeros = X * Items - total;
      for (int i = 0; i < Items; ++i) {
        const bool up = goes_up(keys[i], bit, last, descending);
        const int place = up ? zeros + before : thread * Items + i - before;
        before += up;
        key_cells[place] = keys[i];
        if (kHasValues && values != nullptr) value_cells[place] = values[i];
      }
      __syncthreads();
      const bool turns = striped && bit + 1 >= last;
      for (int i = 0; i < Items; ++i) {
        const int from = turns ? i * X + thread : thread * Items + i;
        keys[i] = key_cells[from];
        if (kHasValues && values != nullptr) values[i] = value_cells[from];
      }
    }
  }
  __device__ static bool goes_up(Key key, int bit, int last, bool descending) {
    if (bit >= last) return false;
    return ((ordered(key) >> bit & 1) != 0) != descending;
  }
  TempStorage& storage_;
};

/// Each thread gets Items neighbours, except for the striped form.
template <class T, int X, int Items, BlockLoadAlgorithm Algorithm = BLOCK_LOAD_DIRECT, int Y = 1,
          int Z = 1>
class BlockLoad {
 public:
  struct TempStorage {
    NullType unused;
  };
  __device__ BlockLoad() {}
  __device__ explicit BlockLoad(TempStorage&) {}
  template <class Iterator>
  __device__ void Load(Iterator in, T (&items)[Items]) {
    for (int i = 0; i < Items; ++i) items[i] = in[place(i)];
  }
  template <class Iterator>
  __device__ void Load(Iterator in, T (&items)[Items], int valid) {
    for (int i = 0; i < Items; ++i) {
      if (place(i) < valid) items[i] = in[place(i)];
    }
  }
  template <class Iterator, class Default>
  __device__ void Load(Iterator in, T (&items)[Items], int valid, Default otherwise) {
    for (int i = 0; i < Items; ++i) items[i] = place(i) < valid ? in[place(i)] : (T)otherwise;
  }

 private:
  __device__ static int place(int i) {
    return Algorithm == BLOCK_LOAD_STRIPED ? i * X * Y * Z + ww::linear_thread()
                                           : ww::linear_thread() * Items + i;
  }
};

template <class T, int X, int Items, BlockStoreAlgorithm Algorithm = BLOCK_STORE_DIRECT, int Y = 1,
          int Z = 1>
class BlockStore {
 public:
  struct TempStorage {
    NullType unused;
  };
  __device__ BlockStore() {}
  __device__ explicit BlockStore(TempStorage&) {}
  template <class Iterator>
  __device__ void Store(Iterator out, T (&items)[Items]) {
    for (int i = 0; i < Items; ++i) out[place(i)] = items[i];
  }
  template <class Iterator>
  __device__ void Store(Iterator out, T (&items)[Items], int valid) {
    for (int i = 0; i < Items; ++i) {
      if (place(i) < valid) out[place(i)] = items[i];
    }
  }

 private:
  __device__ static int place(int i) {
    return Algorithm == BLOCK_STORE_STRIPED ? i * X * Y * Z + ww::linear_thread()
                                            : ww::linear_thread() * Items + i;
  }
};

}  // namespace cub

#endif

#pragma clang attribute pop
