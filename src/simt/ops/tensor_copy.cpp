// SPDX-License-Identifier: Apache-2.0
// cp.async.bulk.tensor: tiles of tensors with up to five dimensions, described by a tensor map.
// Data are read when the copy is issued; in shared memory they appear as those of bulk copies do.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "simt/isa/descriptors.h"
#include "simt/ops/bulk_copy.h"
#include "simt/ops/mbarrier.h"

namespace warpwright::simt {
namespace {

using ww_descriptors::TensorMap;
using ww_descriptors::TensorType;

constexpr u32 kRanks = 5;
constexpr u32 kTileAlign = 128;

/// One tile: how many elements it has in each dimension, and where it begins in the tensor.
struct Tile {
  TensorMap map;
  u32 element = 0;  ///< bytes
  std::array<u32, kRanks> count = {1, 1, 1, 1, 1};
  std::array<s64, kRanks> first = {};

  [[nodiscard]] u64 size(u32 d) const { return u64{map.sizes_less_one[d]} + 1; }
  [[nodiscard]] u32 row_bytes() const { return count[0] * element; }
  [[nodiscard]] u32 rows() const { return count[1] * count[2] * count[3] * count[4]; }
  [[nodiscard]] u32 bytes() const { return row_bytes() * rows(); }
};

/// The part of one row of a tile that lies in the tensor.
struct RowPart {
  u64 address = 0;
  u32 skip = 0;  ///< bytes of the row before it
  u32 bytes = 0;
  u32 behind = 0;  ///< bytes behind the tensor's edge that a store writes, too
};

bool read_map(Warp& w, const Ins* i, u32 lane, u64 at, TensorMap& map) {
  auto* to = reinterpret_cast<std::byte*>(&map);
  u64 a[kLanes] = {};
  for (u32 done = 0; done < sizeof map; done += kBulkPiece) {
    a[lane] = at + done;
    Target t;
    resolve_generic(w, i, a, u32{1} << lane, kBulkPiece, Access::load, t);
    if (t.ok == 0) return false;
    std::memcpy(to + done, t.lane[lane], kBulkPiece);
  }
  return ww_descriptors::is_marked(map, ww_descriptors::kTensorMark);
}

Tile tile_of(const TensorMap& map) {
  Tile tile{map, ww_descriptors::bytes_of(static_cast<TensorType>(map.type)), {1, 1, 1, 1, 1}, {}};
  for (u32 d = 0; d < map.rank; ++d) {
    const u32 step = d == 0 ? 1 : map.steps[d];
    tile.count[d] = (map.box[d] + step - 1) / step;
  }
  return tile;
}

/// A store is cut at the edge in whole pieces of 16 bytes: what the tile has for the rest of the
/// last piece is written, too. Rows begin at multiples of 16 bytes.
u32 behind_edge(const Tile& tile, s64 end) {
  if (end != static_cast<s64>(tile.size(0))) return 0;
  const u64 edge = tile.size(0) * tile.element;
  const u64 left = static_cast<u64>(tile.first[0] + tile.count[0] - end) * tile.element;
  return static_cast<u32>(
      std::min<u64>((edge + kBulkPiece - 1) / kBulkPiece * kBulkPiece - edge, left));
}

RowPart part_of(const Tile& tile, u32 row) {
  const TensorMap& map = tile.map;
  RowPart part;
  part.address = map.address;
  for (u32 d = 1; d < map.rank; ++d) {
    const s64 at = tile.first[d] + s64{row % tile.count[d]} * map.steps[d];
    row /= tile.count[d];
    if (at < 0 || at >= static_cast<s64>(tile.size(d))) return {};
    part.address += static_cast<u64>(at) * map.strides[d - 1];
  }
  const s64 begin = std::max<s64>(tile.first[0], 0);
  const s64 end = std::min<s64>(tile.first[0] + tile.count[0], static_cast<s64>(tile.size(0)));
  if (begin >= end) return {};
  part.address += static_cast<u64>(begin) * tile.element;
  part.skip = static_cast<u32>(begin - tile.first[0]) * tile.element;
  part.bytes = static_cast<u32>(end - begin) * tile.element;
  part.behind = behind_edge(tile, end);
  return part;
}

/// The largest piece that address and length are made of.
u32 piece_of(u64 address, u32 bytes) {
  return u32{1} << std::countr_zero(address | bytes | kBulkPiece);
}

/// What stands outside of the tensor: zeros, or a NaN of the type.
void fill_outside(const Tile& tile, std::vector<std::byte>& data) {
  if (tile.map.fill == 0) return;
  const auto repeat = [&](auto value) {
    for (std::size_t at = 0; at < data.size(); at += sizeof value)
      std::memcpy(data.data() + at, &value, sizeof value);
  };
  // Which of the NaNs a device writes is not documented.
  if (tile.element == 2) repeat(u16{0x7fff});
  if (tile.element == 4) repeat(u32{0x7fffffff});
  if (tile.element == 8) repeat(u64{0x7fffffffffffffff});
}

/// Where a byte of the tile lies in shared memory: rows follow each other, and pieces of 16 bytes
/// trade places by address.
u64 swizzled(const TensorMap& map, u64 at) {
  const u64 pieces = map.swizzle == 0 ? 0 : (u64{1} << map.swizzle) - 1;
  return at ^ (at >> 3 & pieces << 4);
}

/// Copies between a tile in order and as it lies at `at` in shared memory.
void arrange(const Tile& tile, u64 at, const std::byte* from, std::byte* to, bool into_shared) {
  for (u32 done = 0; done < tile.bytes(); done += kBulkPiece) {
    const u64 place = swizzled(tile.map, at + done) - at;
    std::memcpy(to + (into_shared ? place : done), from + (into_shared ? done : place), kBulkPiece);
  }
}

/// Whether the tile can be copied at all; reports what is wrong.
bool is_sound(Warp& w, const Ins* i, u32 lane, const Tile& tile, u32 rank, u64 shared) {
  const char* wrong = nullptr;
  if (tile.map.rank != rank) wrong = "a tensor map with another number of dimensions";
  if (tile.map.swizzle != 0 && tile.bytes() % kTileAlign != 0)
    wrong = "a swizzled tile that is not a multiple of 128 bytes";
  if (wrong == nullptr && shared % kTileAlign != 0)
    wrong = "a tensor copy needs a multiple of 128 as its address in shared memory";
  if (wrong != nullptr) report(w, i, FaultKind::misaligned, lane, shared, "shared", wrong);
  return wrong == nullptr;
}

/// Whether a tile can be stored at its coordinates; reports where it cannot. An H200 ends such a
/// kernel with an illegal instruction (docs/results); of loads nothing like that is known.
bool has_place(Warp& w, const Ins* i, u32 lane, const Tile& tile) {
  const char* wrong = nullptr;
  if (tile.first[0] * static_cast<s64>(tile.element) % kBulkPiece != 0)
    wrong = "a tensor store must begin at a multiple of 16 bytes of its rows";
  if (std::any_of(tile.first.begin(), tile.first.end(), [](s64 at) { return at < 0; }))
    wrong = "a tensor store must not begin at a negative coordinate";
  if (wrong != nullptr)
    report(w, i, FaultKind::misaligned, lane, tile.map.address, "global", wrong);
  return wrong == nullptr;
}

bool load_tile(Warp& w, const Ins* i, u32 lane, const Tile& tile, std::vector<std::byte>& data) {
  data.assign(tile.bytes(), std::byte{0});
  fill_outside(tile, data);
  for (u32 row = 0; row < tile.rows(); ++row) {
    const RowPart part = part_of(tile, row);
    if (part.bytes == 0) continue;
    const std::byte* from = resolve_run(w, i, lane, part.address, part.bytes, Access::load, false,
                                        piece_of(part.address, part.bytes));
    if (from == nullptr) return false;
    std::memcpy(data.data() + std::size_t{row} * tile.row_bytes() + part.skip, from, part.bytes);
  }
  return true;
}

/// Whether the allocation goes on for what is written behind the edge; reports where it does not.
bool has_room_behind(Warp& w, const Ins* i, u32 lane, const Tile& tile, const RowPart& part) {
  if (part.behind == 0) return true;
  const u64 edge = part.address + part.bytes;
  const Allocation* a = w.worker->launch->memory->nearest(edge - 1);
  if (a == nullptr || edge > a->end() || edge + part.behind <= a->end()) return true;
  report(w, i, FaultKind::out_of_bounds, lane, edge, "global",
         "a tensor store writes whole 16 bytes: " + std::to_string(part.behind) +
             " bytes behind the tensor's edge, whose rows of " +
             std::to_string(tile.size(0) * tile.element) +
             " bytes are no multiple of 16, lie outside of " + a->name);
  return false;
}

void store_tile(Warp& w, const Ins* i, u32 lane, const Tile& tile,
                const std::vector<std::byte>& data) {
  for (u32 row = 0; row < tile.rows(); ++row) {
    const RowPart part = part_of(tile, row);
    if (part.bytes == 0) continue;
    if (!has_room_behind(w, i, lane, tile, part)) return;
    const u32 bytes = part.bytes + part.behind;
    std::byte* to = resolve_run(w, i, lane, part.address, bytes, Access::store, false,
                                piece_of(part.address, bytes));
    if (to == nullptr) return;
    std::memcpy(to, data.data() + std::size_t{row} * tile.row_bytes() + part.skip, bytes);
  }
}

struct Operands {
  u64 shared[kLanes], map[kLanes], barrier[kLanes];
};

void copy_in(Warp& w, const Ins* i, u32 lane, const Tile& tile, const Operands& at, u32 flags,
             u32 rank) {
  std::vector<std::byte> data, placed(tile.bytes());
  if (!load_tile(w, i, lane, tile, data)) return;
  arrange(tile, at.shared[lane], data.data(), placed.data(), true);
  if ((flags & kBulkMulticast) == 0) {
    send(w, i, lane, placed.data(), tile.bytes(), at.shared[lane], at.barrier[lane]);
    return;
  }
  for (u32 left = w.slot<u16>(i->more[rank + 1])[lane]; left != 0; left &= left - 1) {
    const auto block = static_cast<u32>(std::countr_zero(left));
    send(w, i, lane, placed.data(), tile.bytes(), in_block(at.shared[lane], block),
         in_block(at.barrier[lane], block));
  }
}

void copy_out(Warp& w, const Ins* i, u32 lane, const Tile& tile, const Operands& at) {
  if (!has_place(w, i, lane, tile)) return;
  const std::byte* from =
      resolve_run(w, i, lane, at.shared[lane], tile.bytes(), Access::load, true);
  if (from == nullptr) return;
  std::vector<std::byte> data(tile.bytes());
  arrange(tile, at.shared[lane], from, data.data(), false);
  store_tile(w, i, lane, tile, data);
}

}  // namespace

const Ins* run_copy_tensor(Warp& w, const Ins* i) {
  const u32 m = w.lanes(i), rank = i->aux >> 8, flags = i->aux & 255;
  const bool to_shared = (flags & kBulkToShared) != 0;
  Operands at;
  lane_addresses(w, i->a, (flags & kBulkNarrowTo) != 0, i->imm, at.shared);
  lane_addresses(w, i->b, (flags & kBulkNarrowFrom) != 0, static_cast<s32>(i->aux2), at.map);
  if (to_shared) lane_addresses(w, i->more[rank], (flags & kBulkNarrowBarrier) != 0, 0, at.barrier);
  Ins plain = *i;
  plain.aux = 0;
  for (u32 l = 0; l < kLanes; ++l) {
    if ((m >> l & 1) == 0) continue;
    TensorMap map;
    if (!read_map(w, &plain, l, at.map[l], map)) {
      report(w, i, FaultKind::out_of_bounds, l, at.map[l], "generic",
             "there is no tensor map that cuTensorMapEncodeTiled made");
      continue;
    }
    Tile tile = tile_of(map);
    for (u32 d = 0; d < rank; ++d) tile.first[d] = w.slot<s32>(i->more[d])[l];
    if (!is_sound(w, i, l, tile, rank, at.shared[l])) continue;
    if (to_shared)
      copy_in(w, &plain, l, tile, at, flags, rank);
    else
      copy_out(w, &plain, l, tile, at);
  }
  return i + 1;
}

}  // namespace warpwright::simt
