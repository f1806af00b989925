// SPDX-License-Identifier: Apache-2.0
// Thread blocks, grids, clusters, tiles of a warp and coalesced threads.
#pragma once

#include "cuda_runtime.h"

// What is inlined from here counts as the line of the call.
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

#if defined(__CUDA__)

#define _CG_QUALIFIER static inline __device__

namespace cooperative_groups {

namespace ww {

static inline __device__ unsigned block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
static inline __device__ unsigned block_thread_rank() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
static inline __device__ unsigned lane() { return __nvvm_read_ptx_sreg_laneid(); }
static inline __device__ unsigned lanes_below() {
  unsigned mask;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  return mask;
}

/// Any trivially copyable value moves between lanes as 32-bit words.
template <class T, class Move>
static inline __device__ T move_words(T value, Move move) {
  if constexpr (sizeof(T) <= 4) {
    unsigned word = 0;
    __builtin_memcpy(&word, &value, sizeof(T));
    word = move(word);
    __builtin_memcpy(&value, &word, sizeof(T));
  } else {
    static_assert(sizeof(T) % 4 == 0, "shuffled types are whole 32-bit words");
    unsigned words[sizeof(T) / 4];
    __builtin_memcpy(words, &value, sizeof(T));
    for (unsigned& word : words) word = move(word);
    __builtin_memcpy(&value, words, sizeof(T));
  }
  return value;
}

}  // namespace ww

class thread_block {
 public:
  __device__ static void sync() { __syncthreads(); }
  __device__ static unsigned thread_rank() { return ww::block_thread_rank(); }
  __device__ static unsigned size() { return ww::block_threads(); }
  __device__ static unsigned num_threads() { return ww::block_threads(); }
  __device__ static dim3 group_index() { return blockIdx; }
  __device__ static dim3 thread_index() { return threadIdx; }
  __device__ static dim3 dim_threads() { return blockDim; }
  __device__ static dim3 group_dim() { return blockDim; }
};
static inline __device__ thread_block this_thread_block() { return {}; }

class grid_group {
 public:
  __device__ bool is_valid() const { return workspace() != nullptr; }
  __device__ unsigned long long thread_rank() const {
    return block_rank() * ww::block_threads() + ww::block_thread_rank();
  }
  __device__ unsigned long long size() const { return num_blocks() * ww::block_threads(); }
  __device__ unsigned long long num_threads() const { return size(); }
  __device__ dim3 group_dim() const { return gridDim; }
  __device__ dim3 dim_blocks() const { return gridDim; }
  __device__ dim3 block_index() const { return blockIdx; }
  __device__ unsigned long long num_blocks() const {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
  }
  __device__ unsigned long long block_rank() const {
    return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  __device__ void sync() const { barrier_wait(barrier_arrive()); }
  /// The driver's protocol: a counter in the launch's workspace whose top bit flips when every
  /// block has arrived. The token is what it was before; that of a block's first thread counts.
  using arrival_token = unsigned;
  __device__ arrival_token barrier_arrive() const {
    unsigned* space = workspace();
    if (space == nullptr) __trap();
    __syncthreads();
    unsigned before = 0;
    if (ww::block_thread_rank() == 0) {
      const unsigned amount = block_rank() == 0 ? 0x80000001U - (unsigned)num_blocks() : 1U;
      asm volatile("atom.add.release.gpu.u32 %0, [%1], %2;"
                   : "=r"(before)
                   : "l"(space + 1), "r"(amount)
                   : "memory");
    }
    return before;
  }
  __device__ void barrier_wait(arrival_token&& before) const {
    if (ww::block_thread_rank() == 0) {
      unsigned now;
      do {
        asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(workspace() + 1) : "memory");
      } while (((now ^ before) & 0x80000000U) == 0);
    }
    __syncthreads();
  }

 private:
  __device__ static unsigned* workspace() {
    unsigned low, high;
    asm("mov.u32 %0, %%envreg2;" : "=r"(low));
    asm("mov.u32 %0, %%envreg1;" : "=r"(high));
    return (unsigned*)(((unsigned long long)high << 32) | low);
  }
};
static inline __device__ grid_group this_grid() { return {}; }

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
class cluster_group {
 public:
  struct arrival_token {};
  __device__ static arrival_token barrier_arrive() {
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    return {};
  }
  __device__ static void barrier_wait() {
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
  }
  __device__ static void barrier_wait(arrival_token&&) { barrier_wait(); }
  __device__ static void sync() {
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
  }
  __device__ static unsigned block_rank() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
  }
  __device__ static unsigned num_blocks() {
    unsigned count;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(count));
    return count;
  }
  __device__ static unsigned thread_rank() {
    return block_rank() * ww::block_threads() + ww::block_thread_rank();
  }
  __device__ static unsigned num_threads() { return num_blocks() * ww::block_threads(); }
  __device__ static unsigned size() { return num_threads(); }
  template <class T>
  __device__ static T* map_shared_rank(T* address, int rank) {
    T* mapped;
    asm("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(address), "r"(rank));
    return mapped;
  }
};
static inline __device__ cluster_group this_cluster() { return {}; }
#endif

/// A set of lanes of one warp, named by a mask; ranks count the set bits.
class coalesced_group {
 public:
  __device__ explicit coalesced_group(unsigned mask) : mask_(mask) {}
  __device__ void sync() const { __syncwarp(mask_); }
  __device__ unsigned size() const { return __popc(mask_); }
  __device__ unsigned num_threads() const { return __popc(mask_); }
  __device__ unsigned thread_rank() const { return __popc(mask_ & ww::lanes_below()); }
  __device__ unsigned meta_group_rank() const { return 0; }
  __device__ unsigned meta_group_size() const { return 1; }
  __device__ int any(int predicate) const { return __any_sync(mask_, predicate); }
  __device__ int all(int predicate) const { return __all_sync(mask_, predicate); }
  __device__ unsigned ballot(int predicate) const {
    return packed(__ballot_sync(mask_, predicate));
  }
  template <class T>
  __device__ unsigned match_any(T value) const {
    return packed(__match_any_sync(mask_, value));
  }
  template <class T>
  __device__ T shfl(T value, unsigned rank) const {
    return from(value, lane_of(rank % size()));
  }
  template <class T>
  __device__ T shfl_down(T value, unsigned delta) const {
    const unsigned rank = thread_rank() + delta;
    return from(value, rank < size() ? lane_of(rank) : ww::lane());
  }
  template <class T>
  __device__ T shfl_up(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return from(value, rank >= delta ? lane_of(rank - delta) : ww::lane());
  }
  __device__ unsigned ww_mask() const { return mask_; }

 private:
  __device__ unsigned lane_of(unsigned rank) const {
    unsigned mask = mask_;
    for (unsigned i = 0; i < rank; ++i) mask &= mask - 1;
    return __ffs((int)mask) - 1;
  }
  template <class T>
  __device__ T from(T value, unsigned lane) const {
    return ww::move_words(value, [=](unsigned w) { return __shfl_sync(mask_, w, (int)lane); });
  }
  __device__ unsigned packed(unsigned lanes) const {
    unsigned result = 0, rank = 0;
    for (unsigned rest = mask_; rest != 0; rest &= rest - 1, ++rank) {
      if (lanes & rest & (0U - rest)) result |= 1U << rank;
    }
    return result;
  }
  unsigned mask_;
};
static inline __device__ coalesced_group coalesced_threads() {
  return coalesced_group(__activemask());
}

/// Size consecutive lanes of a warp; Size is a power of two up to 32.
template <unsigned Size, class Parent = thread_block>
class thread_block_tile {
  static_assert(Size > 0 && Size <= 32 && (Size & (Size - 1)) == 0,
                "tiles are powers of two to 32");

 public:
  __device__ static void sync() { __syncwarp(mask()); }
  __device__ static constexpr unsigned size() { return Size; }
  __device__ static constexpr unsigned num_threads() { return Size; }
  __device__ static unsigned thread_rank() { return ww::block_thread_rank() & (Size - 1); }
  __device__ static unsigned meta_group_rank() { return ww::block_thread_rank() / Size; }
  __device__ static unsigned meta_group_size() { return (ww::block_threads() + Size - 1) / Size; }
  __device__ static int any(int predicate) { return __any_sync(mask(), predicate); }
  __device__ static int all(int predicate) { return __all_sync(mask(), predicate); }
  __device__ static unsigned ballot(int predicate) {
    return (__ballot_sync(mask(), predicate) & mask()) >> shift();
  }
  template <class T>
  __device__ static unsigned match_any(T value) {
    return (__match_any_sync(mask(), value) & mask()) >> shift();
  }
  template <class T>
  __device__ static unsigned match_all(T value, int& predicate) {
    return (__match_all_sync(mask(), value, &predicate) & mask()) >> shift();
  }
  template <class T>
  __device__ static T shfl(T value, int rank) {
    return ww::move_words(value, [=](unsigned w) { return __shfl_sync(mask(), w, rank, Size); });
  }
  template <class T>
  __device__ static T shfl_down(T value, unsigned delta) {
    return ww::move_words(value,
                          [=](unsigned w) { return __shfl_down_sync(mask(), w, delta, Size); });
  }
  template <class T>
  __device__ static T shfl_up(T value, unsigned delta) {
    return ww::move_words(value,
                          [=](unsigned w) { return __shfl_up_sync(mask(), w, delta, Size); });
  }
  template <class T>
  __device__ static T shfl_xor(T value, unsigned lanes) {
    return ww::move_words(value,
                          [=](unsigned w) { return __shfl_xor_sync(mask(), w, (int)lanes, Size); });
  }
  __device__ static unsigned ww_mask() { return mask(); }

 private:
  __device__ static unsigned shift() { return ww::lane() & ~(Size - 1); }
  __device__ static unsigned mask() {
    return Size == 32 ? 0xFFFFFFFFU : ((1U << (Size & 31)) - 1) << shift();
  }
};
template <unsigned Size, class Parent>
static inline __device__ thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return {};
}

/// A tile whose size is known only at run time.
static inline __device__ coalesced_group tiled_partition(const thread_block&, unsigned size) {
  const unsigned shift = ww::lane() & ~(size - 1);
  return coalesced_group(size >= 32 ? 0xFFFFFFFFU : ((1U << size) - 1) << shift);
}
static inline __device__ coalesced_group tiled_partition(const coalesced_group& group,
                                                         unsigned size) {
  const unsigned mine = group.thread_rank() / size;
  unsigned mask = 0, rank = 0;
  for (unsigned rest = group.ww_mask(); rest != 0; rest &= rest - 1, ++rank) {
    if (rank / size == mine) mask |= rest & (0U - rest);
  }
  return coalesced_group(mask);
}
template <class Group>
static inline __device__ coalesced_group binary_partition(const Group& group, bool predicate) {
  const unsigned yes = __ballot_sync(group.ww_mask(), predicate) & group.ww_mask();
  return coalesced_group(predicate ? yes : group.ww_mask() & ~yes);
}
template <class Group, class Label>
static inline __device__ coalesced_group labeled_partition(const Group& group, Label label) {
  return coalesced_group(__match_any_sync(group.ww_mask(), label) & group.ww_mask());
}

using thread_group = coalesced_group;

template <class Group>
static inline __device__ void sync(const Group& group) {
  group.sync();
}
template <class Group>
static inline __device__ auto thread_rank(const Group& group) {
  return group.thread_rank();
}
template <class Group>
static inline __device__ auto group_size(const Group& group) {
  return group.size();
}

}  // namespace cooperative_groups

#endif

#pragma clang attribute pop
