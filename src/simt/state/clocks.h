// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

// Who is ordered after whom. Each warp counts its steps: one ends where it makes what it did
// visible to others (a barrier, a fence, an arrival). What a warp knows of another one is the last
// of its steps that is over for it. Two accesses are ordered when the later warp knows of the
// earlier one's step.

namespace warpwright::simt {

/// Steps by warp. In kernels with products of four warps as many numbers again: of each warp's
/// products, by the group of them (wgmma.commit_group), which go on beside its own steps.
using Steps = std::vector<std::uint32_t>;

/// What is known of the warps of one block. The launch's Ordering owns the steps.
struct KnownBlock {
  std::uint64_t rank = 0;
  const Steps* steps = nullptr;
};
/// What is known of blocks, by rank. Most warps hear of few: of their cluster, or of those before.
using Known = std::vector<KnownBlock>;

/// What a warp knows, or what is told at a place where warps meet.
struct Clock {
  Steps own;                            ///< of the block; empty: nothing
  std::shared_ptr<const Known> others;  ///< null: nothing
};

/// What a fence, or each of the two scopes, covers.
struct Fenced {
  Clock in_block, beyond;
};

struct WarpOrder {
  Clock now;
  Fenced fenced;  ///< what a flag raised now tells
};

/// A word by which warps tell each other something: a flag, a counter, an mbarrier.
struct SyncWord {
  std::shared_ptr<const Known> beyond;  ///< for everybody
  Clock in_block;                       ///< for warps of `block`
  std::uint64_t block = 0;
  Clock waiting;  ///< of an mbarrier: what its open phase will tell
};

/// One access to a word that is remembered.
struct Touch {
  std::uint32_t block = 0, warp = 0, step = 0;  ///< step 0: none
  std::uint32_t place = 0;                      ///< the instruction
  std::uint8_t bytes = 0;
  bool strong = false;   ///< atomic, volatile or relaxed
  bool narrow = false;   ///< of block scope
  bool product = false;  ///< a product's: `step` is that of the warp's products
};

/// The last step over for whoever knows these, of those that the touch is one of.
inline std::uint32_t step_over(const Steps& known, const Touch& t) {
  return known[t.product ? known.size() / 2 + t.warp : t.warp];
}

/// All accesses to a word that a later one may race with: the writes since the last plain one, the
/// reads since then.
struct History {
  Touch write, read;
  struct More {
    std::vector<Touch> writes, reads;
  };
  std::unique_ptr<More> more;  ///< lists may be empty

  [[nodiscard]] bool has_more() const {
    return more != nullptr && !(more->writes.empty() && more->reads.empty());
  }
  /// Nothing is remembered any more; the lists keep their room.
  void clear() {
    write = read = {};
    if (more == nullptr) return;
    more->writes.clear();
    more->reads.clear();
  }
};

constexpr std::uint64_t kHistoryPage = 1024;  ///< words

/// What a launch remembers when its warps order each other by more than barriers of whole blocks.
struct Ordering {
  bool global = false;     ///< accesses to global memory are followed here
  std::deque<Steps> told;  ///< of one block each; they live as long as the launch
  std::unordered_map<std::uint64_t, SyncWord> words;
  std::unordered_map<std::uint64_t, std::unique_ptr<History[]>> pages;
  std::uint64_t last_page = ~std::uint64_t{0};
  History* last = nullptr;
  std::uint64_t kept_bytes = 0;  ///< of `told`
  std::uint64_t told_bytes = 0;  ///< of all lists of blocks that were ever made
  bool lost = false;             ///< too much to follow: no more is said of accesses across blocks
};

/// The same of a block: its shared memory, and what its warps know.
struct BlockOrder {
  std::vector<WarpOrder> warps;
  Clock at_cluster;             ///< told by those who arrived at the cluster's barrier
  std::vector<History> shared;  ///< by word; empty: not followed
  std::unordered_set<std::uint64_t> strong_words;  ///< that the block used as flags or counters
};

}  // namespace warpwright::simt
