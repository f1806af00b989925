// SPDX-License-Identifier: Apache-2.0
// Cooperative groups for a program that was carried over from CUDA: warps have 32 lanes; see
// warpwright_hip.h.
#ifndef WARPWRIGHT_HIP_GROUPS_H
#define WARPWRIGHT_HIP_GROUPS_H

#include "warpwright_hip.h"

#ifdef __HIPCC__

#ifndef __ockl_grid_sync
extern "C" __device__ void __ockl_grid_sync(void);
extern "C" __device__ int __ockl_grid_is_valid(void);
#endif

namespace cooperative_groups {

#define WW_GROUP static __device__ __forceinline__
#define WW_MEMBER __device__ __forceinline__

namespace ww {
WW_GROUP unsigned block_size() { return blockDim.x * blockDim.y * blockDim.z; }
WW_GROUP unsigned block_thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
// The lane with number `rank` among those of the mask.
WW_GROUP int lane_of(unsigned mask, unsigned rank) {
  for (; rank > 0u; --rank) mask &= mask - 1u;
  return __builtin_ctz(mask | 0x80000000u);
}
}  // namespace ww

// Any group, without its own functions: the lanes of a mask, or a whole block.
class thread_group {
 public:
  WW_MEMBER thread_group(unsigned mask, bool block) : mask_(mask), block_(block) {}
  WW_MEMBER unsigned long long size() const {
    return block_ ? ww::block_size() : (unsigned)__popc(mask_);
  }
  WW_MEMBER unsigned long long num_threads() const { return size(); }
  WW_MEMBER unsigned long long thread_rank() const {
    return block_ ? ww::block_thread() : (unsigned)__popc(mask_ & ww_lanemask_lt());
  }
  WW_MEMBER void sync() const {
    if (block_) {
      __syncthreads();
    } else {
      ww_syncwarp(mask_);
    }
  }
  WW_MEMBER unsigned ww_mask() const { return mask_; }
  WW_MEMBER bool ww_block() const { return block_; }

  template <class T>
  WW_MEMBER T shfl(T value, unsigned rank) const {
    return ww_shfl(value, ww::lane_of(mask_, rank));
  }
  template <class T>
  WW_MEMBER T shfl_down(T value, unsigned delta) const {
    const unsigned rank = (unsigned)thread_rank() + delta;
    return ww_shfl(value,
                   rank < (unsigned)__popc(mask_) ? ww::lane_of(mask_, rank) : (int)ww_lane_id());
  }
  template <class T>
  WW_MEMBER T shfl_up(T value, unsigned delta) const {
    const unsigned rank = (unsigned)thread_rank();
    return ww_shfl(value, rank >= delta ? ww::lane_of(mask_, rank - delta) : (int)ww_lane_id());
  }
  template <class T>
  WW_MEMBER T shfl_xor(T value, unsigned bits) const {
    return ww_shfl(value, ww::lane_of(mask_, (unsigned)thread_rank() ^ bits));
  }
  WW_MEMBER int any(int predicate) const { return ww_any_sync(mask_, predicate); }
  WW_MEMBER int all(int predicate) const { return ww_all_sync(mask_, predicate); }
  // Bits by rank in the group.
  WW_MEMBER unsigned ballot(int predicate) const {
    return packed(ww_ballot_sync(mask_, predicate));
  }
  template <class T>
  WW_MEMBER unsigned match_any(T value) const {
    return packed(ww_match_any_sync(mask_, value));
  }
  template <class T>
  WW_MEMBER unsigned match_all(T value, int& predicate) const {
    return packed(ww_match_all_sync(mask_, value, &predicate));
  }

 protected:
  WW_MEMBER unsigned packed(unsigned bits) const {
    unsigned result = 0u, rank = 0u;
    for (unsigned left = mask_; left != 0u; left &= left - 1u, ++rank)
      if ((bits & left & (0u - left)) != 0u) result |= 1u << rank;
    return result;
  }
  unsigned mask_;
  bool block_;
};

class thread_block : public thread_group {
 public:
  WW_MEMBER thread_block() : thread_group(~0u, true) {}
  static WW_MEMBER void sync() { __syncthreads(); }
  static WW_MEMBER unsigned size() { return ww::block_size(); }
  static WW_MEMBER unsigned num_threads() { return ww::block_size(); }
  static WW_MEMBER unsigned thread_rank() { return ww::block_thread(); }
  static WW_MEMBER dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static WW_MEMBER dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  static WW_MEMBER dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  static WW_MEMBER dim3 dim_threads() { return group_dim(); }
};
WW_GROUP thread_block this_thread_block() { return thread_block(); }

class grid_group {
 public:
  WW_MEMBER bool is_valid() const { return __ockl_grid_is_valid() != 0; }
  WW_MEMBER void sync() const { __ockl_grid_sync(); }
  static WW_MEMBER unsigned long long num_blocks() {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
  }
  static WW_MEMBER unsigned long long block_rank() {
    return blockIdx.x + (unsigned long long)gridDim.x *
                            (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
  }
  static WW_MEMBER unsigned long long size() { return num_blocks() * ww::block_size(); }
  static WW_MEMBER unsigned long long num_threads() { return size(); }
  static WW_MEMBER unsigned long long thread_rank() {
    return block_rank() * ww::block_size() + ww::block_thread();
  }
  static WW_MEMBER dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  static WW_MEMBER dim3 dim_blocks() { return group_dim(); }
  static WW_MEMBER dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
};
WW_GROUP grid_group this_grid() { return grid_group(); }

// A tile of up to 32 threads that follow each other in the block.
template <unsigned kSize, class Parent = void>
class thread_block_tile : public thread_group {
 public:
  static_assert(kSize <= 32 && (kSize & (kSize - 1)) == 0,
                "tiles have 1, 2, 4, 8, 16 or 32 threads");
  WW_MEMBER thread_block_tile()
      : thread_group(
            kSize == 32 ? ~0u : ((1u << (kSize & 31u)) - 1u) << (ww_lane_id() & ~(kSize - 1u)),
            false) {}
  template <class Other>
  WW_MEMBER thread_block_tile(const thread_block_tile<kSize, Other>&) : thread_block_tile() {}
  static constexpr WW_MEMBER unsigned size() { return kSize; }
  static constexpr WW_MEMBER unsigned num_threads() { return kSize; }
  static WW_MEMBER unsigned thread_rank() { return ww::block_thread() & (kSize - 1u); }
  static WW_MEMBER unsigned meta_group_rank() { return ww::block_thread() / kSize; }
  static WW_MEMBER unsigned meta_group_size() { return (ww::block_size() + kSize - 1u) / kSize; }
  WW_MEMBER void sync() const { ww_syncwarp(mask_); }
  template <class T>
  WW_MEMBER T shfl(T value, int rank) const {
    return ww_shfl(value, rank, kSize);
  }
  template <class T>
  WW_MEMBER T shfl_down(T value, unsigned delta) const {
    return ww_shfl_down(value, delta, kSize);
  }
  template <class T>
  WW_MEMBER T shfl_up(T value, unsigned delta) const {
    return ww_shfl_up(value, delta, kSize);
  }
  template <class T>
  WW_MEMBER T shfl_xor(T value, unsigned bits) const {
    return ww_shfl_xor(value, (int)bits, kSize);
  }
};

class coalesced_group : public thread_group {
 public:
  WW_MEMBER explicit coalesced_group(unsigned mask, unsigned rank = 0, unsigned count = 1)
      : thread_group(mask, false), rank_(rank), count_(count) {}
  WW_MEMBER unsigned meta_group_rank() const { return rank_; }
  WW_MEMBER unsigned meta_group_size() const { return count_; }

 private:
  unsigned rank_, count_;
};
WW_GROUP coalesced_group coalesced_threads() { return coalesced_group(ww_activemask()); }

template <unsigned kSize, class Group>
WW_GROUP thread_block_tile<kSize, Group> tiled_partition(const Group&) {
  return thread_block_tile<kSize, Group>();
}
template <class Group>
WW_GROUP thread_group tiled_partition(const Group& group, unsigned size) {
  const unsigned tile = (unsigned)group.thread_rank() / size;
  const unsigned all = group.ww_block() ? ~0u : group.ww_mask();
  unsigned mask = 0u, rank = 0u;
  if (group.ww_block()) {
    mask = size >= 32u ? ~0u : ((1u << size) - 1u) << (ww_lane_id() & ~(size - 1u));
  } else {
    for (unsigned left = all; left != 0u; left &= left - 1u, ++rank)
      if (rank / size == tile) mask |= left & (0u - left);
  }
  return thread_group(mask, false);
}
template <class Group>
WW_GROUP coalesced_group binary_partition(const Group& group, bool predicate) {
  const unsigned yes = ww_ballot_sync(group.ww_mask(), predicate);
  return coalesced_group(predicate ? yes : group.ww_mask() & ~yes & ww_activemask(),
                         predicate ? 1u : 0u, 2u);
}
template <class Group, class T>
WW_GROUP coalesced_group labeled_partition(const Group& group, T label) {
  return coalesced_group(ww_match_any_sync(group.ww_mask(), label));
}

template <class Group>
WW_GROUP void sync(const Group& group) {
  group.sync();
}
template <class Group>
WW_GROUP unsigned long long thread_rank(const Group& group) {
  return group.thread_rank();
}
template <class Group>
WW_GROUP unsigned long long group_size(const Group& group) {
  return group.size();
}

template <class T = void>
struct plus {
  WW_MEMBER T operator()(const T& a, const T& b) const { return a + b; }
};
template <class T = void>
struct less {
  WW_MEMBER T operator()(const T& a, const T& b) const { return b < a ? b : a; }
};
template <class T = void>
struct greater {
  WW_MEMBER T operator()(const T& a, const T& b) const { return a < b ? b : a; }
};
template <class T = void>
struct bit_and {
  WW_MEMBER T operator()(const T& a, const T& b) const { return a & b; }
};
template <class T = void>
struct bit_or {
  WW_MEMBER T operator()(const T& a, const T& b) const { return a | b; }
};
template <class T = void>
struct bit_xor {
  WW_MEMBER T operator()(const T& a, const T& b) const { return a ^ b; }
};

// Every thread gets the result. A tile halves its distances as CUDA does; other groups go by rank.
template <unsigned kSize, class Parent, class T, class Op>
WW_GROUP T reduce(const thread_block_tile<kSize, Parent>& tile, T value, Op op) {
  for (unsigned distance = kSize / 2; distance > 0u; distance /= 2)
    value = op(value, tile.shfl_xor(value, distance));
  return value;
}
template <class T, class Op>
WW_GROUP T reduce(const coalesced_group& group, T value, Op op) {
  T result = group.shfl(value, 0u);
  for (unsigned rank = 1; rank < (unsigned)group.size(); ++rank)
    result = op(result, group.shfl(value, rank));
  return result;
}
template <class Group, class T, class Op>
WW_GROUP T inclusive_scan(const Group& group, T value, Op op) {
  const unsigned rank = (unsigned)group.thread_rank();
  T result = value;
  for (unsigned distance = 1; distance < (unsigned)group.size(); distance *= 2) {
    const T other = group.shfl_up(result, distance);
    if (rank >= distance) result = op(other, result);
  }
  return result;
}
template <class Group, class T>
WW_GROUP T inclusive_scan(const Group& group, T value) {
  return inclusive_scan(group, value, plus<T>());
}
template <class Group, class T, class Op>
WW_GROUP T exclusive_scan(const Group& group, T value, Op op) {
  const T result = group.shfl_up(inclusive_scan(group, value, op), 1u);
  return group.thread_rank() == 0 ? T() : result;
}
template <class Group, class T>
WW_GROUP T exclusive_scan(const Group& group, T value) {
  return exclusive_scan(group, value, plus<T>());
}
template <class Group, class F>
WW_GROUP void invoke_one(const Group& group, F function) {
  if (group.thread_rank() == 0) function();
}

// Copies at once instead of behind the program's back.
template <class Group, class T>
WW_GROUP void memcpy_async(const Group& group, T* to, const T* from, size_t bytes) {
  for (size_t i = group.thread_rank(); i < bytes / sizeof(T); i += group.size()) to[i] = from[i];
}
template <class Group>
WW_GROUP void wait(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups

#endif  // __HIPCC__

#endif
