// SPDX-License-Identifier: Apache-2.0
// Lanes that wait for each other only because of where the machine lets them meet again.
//
// A branch's lanes meet at its immediate post-dominator. In a loop that is left in the middle that
// may lie before an instruction in which all lanes take part: those that are at the join wait for
// the one that is on its way around, and it waits for them. On a GPU all lanes go on by themselves.
#include "simt/schedule/stuck_lanes.h"

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "simt/state/worker.h"

namespace warpwright::simt {
namespace {

std::uint32_t end_of(const Kernel& k, std::uint32_t block) {
  const bool last = block + 1 == k.blocks.size();
  return last ? static_cast<std::uint32_t>(k.code.size()) : k.blocks[block + 1].first;
}

/// Where a block's lanes go. Behind calls and returns: nowhere that is known.
std::vector<std::uint32_t> ways_from(const Kernel& k, std::uint32_t block) {
  for (std::uint32_t id = k.blocks[block].first; id < end_of(k, block); ++id) {
    const Ins& i = k.code[id];
    const Opcode opcode = k.info[id].opcode;
    if (opcode == Opcode::jump) return {i.target};
    if (opcode == Opcode::branch) return {i.target, i.aux};
    if (opcode == Opcode::guarded_exit) return {i.aux};
    if (opcode == Opcode::branch_table) return k.jump_tables[i.target];
  }
  return {};
}

bool reaches(const Kernel& k, std::uint32_t from, const Ins* to) {
  std::vector<bool> seen(k.blocks.size(), false);
  std::vector<std::uint32_t> open{from};
  while (!open.empty()) {
    const std::uint32_t block = open.back();
    open.pop_back();
    if (block >= seen.size() || seen[block]) continue;
    seen[block] = true;
    if (to->id >= k.blocks[block].first && to->id < end_of(k, block)) return true;
    for (const std::uint32_t next : ways_from(k, block)) open.push_back(next);
  }
  return false;
}

/// The lanes that a split's instruction names and that are not there.
std::uint32_t missing_at(Warp& w, const Split& s) {
  w.mask = s.mask;
  const std::uint32_t here = w.lanes(s.ip);
  const int lane = std::countr_zero(here | 0x80000000u);
  return w.slot<std::uint32_t>(s.ip->c)[lane] & w.live & ~here;
}

/// Frees what is missing at an instruction if it waits at a join from which it can get there.
bool help(Warp& w, std::size_t waiting) {
  const Ins* at = w.splits[waiting].ip;
  const std::uint32_t missing = missing_at(w, w.splits[waiting]);
  bool freed = false;
  for (std::size_t i = 0, count = w.splits.size(); i < count; ++i) {
    const Split& node = w.splits[i];
    if (node.state != Split::State::joining || (node.mask & missing) == 0) continue;
    if (!reaches(*w.kernel, node.resume_block, at)) continue;
    const std::size_t leaf = free_joined(w, i);
    w.splits[leaf].freed_from = static_cast<std::int32_t>(i);
    freed = true;
  }
  return freed;
}

bool is_below(const Warp& w, std::size_t index, std::int32_t node) {
  for (std::int32_t at = w.splits[index].parent; at >= 0;
       at = w.splits[static_cast<std::size_t>(at)].parent) {
    if (at == node) return true;
  }
  return false;
}

/// The splits below a node and the leaf that was freed from it; none unless all their lanes have
/// just met.
std::vector<std::size_t> family(const Warp& w, std::size_t leaf, const Ins* met) {
  const std::int32_t node = w.splits[leaf].freed_from;
  std::vector<std::size_t> all{leaf};
  for (std::size_t i = 0; i < w.splits.size(); ++i) {
    if (w.splits[i].state != Split::State::free && is_below(w, i, node)) all.push_back(i);
  }
  for (const std::size_t i : all) {
    const Split& s = w.splits[i];
    const bool here = static_cast<std::int32_t>(i) == w.current || s.ip == met + 1;
    const bool passes = s.state == Split::State::joining && s.mask == 0;
    if (!passes && !(s.state == Split::State::ready && here)) return {};
  }
  return all;
}

void merge(Warp& w, std::size_t leaf, std::span<const std::size_t> all) {
  const Split freed = w.splits[leaf];
  std::uint32_t lanes = 0;
  for (const std::size_t i : all) {
    if (w.splits[i].state == Split::State::ready) lanes |= w.splits[i].mask;
    w.splits[i].state = Split::State::free;
  }
  w.splits[static_cast<std::size_t>(freed.freed_from)].state = Split::State::free;
  Split& s = w.splits[static_cast<std::size_t>(w.current)];
  s = {.state = Split::State::ready,
       .mask = lanes,
       .reconverge = freed.reconverge,
       .resume_block = freed.resume_block,
       .parent = freed.parent};
  // Node and leaf were two children, and are one.
  if (s.parent >= 0) --w.splits[static_cast<std::size_t>(s.parent)].children;
  w.mask = lanes;
  w.reconverge = s.reconverge;
}

/// Merges one family that the running split belongs to; whether there was one.
bool merge_one(Warp& w, const Ins* met) {
  for (std::size_t i = 0; i < w.splits.size(); ++i) {
    const Split& s = w.splits[i];
    if (s.state != Split::State::ready || s.freed_from < 0) continue;
    const Split& node = w.splits[static_cast<std::size_t>(s.freed_from)];
    if (node.state != Split::State::joining || node.mask != 0 || node.parent != s.parent ||
        node.reconverge != s.reconverge)
      continue;
    const auto all = family(w, i, met);
    const bool running = std::any_of(all.begin(), all.end(), [&](std::size_t k) {
      return static_cast<std::int32_t>(k) == w.current;
    });
    if (!running) continue;
    merge(w, i, all);
    return true;
  }
  return false;
}

/// Lanes in a function that was called must come back to where it was: such kernels are left alone.
bool has_calls(const Kernel& k) {
  return std::any_of(k.info.begin(), k.info.end(), [](const InsInfo& i) {
    return i.opcode == Opcode::call || i.opcode == Opcode::indirect_call;
  });
}

}  // namespace

void rejoin_freed(Warp& w, const Ins* met) {
  while (merge_one(w, met)) {
  }
}

bool free_lanes_that_others_name(BlockState& b) {
  if (has_calls(*b.warps.front().kernel)) return false;
  bool freed = false;
  for (Warp& w : b.warps) {
    for (std::size_t i = 0; i < w.splits.size(); ++i) {
      if (w.splits[i].state != Split::State::at_sync || w.splits[i].helped) continue;
      if (!help(w, i)) continue;
      w.splits[i].helped = true;  // once: lanes that do not come then never come
      freed = true;
    }
  }
  return freed;
}

}  // namespace warpwright::simt
