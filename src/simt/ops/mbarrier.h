// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simt/state/worker.h"

namespace warpwright::simt {

/// What an mbarrier instruction does. a = barrier, b = count, bytes, state or parity, d = result.
enum class MbarrierForm : std::uint32_t {
  init,
  invalidate,
  arrive,
  arrive_drop,
  expect,         ///< b bytes more
  complete,       ///< b bytes fewer
  arrive_expect,  ///< b bytes more, then one arrival
  drop_expect,
  test_state,
  test_parity,
};
/// aux = form | narrow address << 8 | result wanted << 9.
const Ins* run_mbarrier(Warp& w, const Ins* i);
const Ins* run_mbarrier_test(Warp& w, const Ins* i);
/// d = arrivals that state a still waits for.
const Ins* run_mbarrier_pending(Warp& w, const Ins* i);

/// Adds the arrival's lanes to those that their barriers wait for.
void expect_arrivals(Warp& w, const Ins* i, const AsyncArrival& arrival);
/// Whether somebody initialised the mbarrier there.
bool is_mbarrier(const std::byte* at);
/// One arrival per lane, or the bytes that each lane completes.
void make_arrivals(const AsyncArrival& arrival);

/// Bulk copies: a = to, b = from, c = bytes, more[0] = barrier, more[1] = mask of the blocks
/// that get the data (multicast); imm, aux2 = offsets of to and from.
/// aux = kBulkTo... flags.
inline constexpr std::uint32_t kBulkToShared = 1;
inline constexpr std::uint32_t kBulkFromShared = 2;
inline constexpr std::uint32_t kBulkNarrowTo = 4;
inline constexpr std::uint32_t kBulkNarrowFrom = 8;
inline constexpr std::uint32_t kBulkNarrowBarrier = 16;
inline constexpr std::uint32_t kBulkMulticast = 32;
const Ins* run_copy_bulk(Warp& w, const Ins* i);

/// Copies of tiles of tensors: a = shared memory, b = tensor map, more = coordinates, then barrier,
/// then mask of blocks; imm, aux2 = offsets of a and b. aux = kBulk... flags | rank << 8.
const Ins* run_copy_tensor(Warp& w, const Ins* i);

/// st.async: a = to, c = barrier, more = values; imm, aux2 = offsets of to and barrier.
/// aux = flags | elements << 8 | bytes of an element << 16.
inline constexpr std::uint32_t kStoreNarrowTo = 1;
inline constexpr std::uint32_t kStoreNarrowBarrier = 2;
inline constexpr std::uint32_t kStoreGeneric = 4;
const Ins* run_store_async(Warp& w, const Ins* i);

}  // namespace warpwright::simt
