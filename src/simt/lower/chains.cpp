// SPDX-License-Identifier: Apache-2.0
#include "simt/lower/chains.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace warpwright::simt {
namespace {

// Cycles until a result can be used, as published for Hopper: shared memory 31, L1 41,
// arithmetic 4.
constexpr double kArithmetic = 4, kDouble = 8, kSpecial = 20, kMath = 40, kConvert = 8;
constexpr double kShuffle = 24, kShared = 30, kLocal = 40, kConstant = 8, kTensor = 32;
// Chooses between chains; what a load costs is the estimate's to say.
constexpr double kNominalLoad = 600;

bool is_register(Val v) { return v != kNoVal && (v & kConstantBit) == 0; }

bool is_plain_move(const Lir& l) {
  return l.info.opcode == Opcode::arithmetic && l.info.row != nullptr &&
         l.info.row->native.rule == ShapeRule::move;
}

/// Copies that a warp does not wait for by a register.
bool is_copy(const Lir& l) {
  return l.info.op_class == OpClass::load_global && !is_register(l.d) && l.more_defs == 0;
}

bool waits_for_memory(const Lir& l) {
  if (l.info.op_class == OpClass::atomic) return is_register(l.d);
  return l.info.op_class == OpClass::load_global && !is_copy(l);
}

double latency_of(const Lir& l) {
  switch (l.info.op_class) {
    case OpClass::fp64:
      return kDouble;
    case OpClass::special:
      return kSpecial;
    case OpClass::math:
      return kMath;
    case OpClass::convert:
      return kConvert;
    case OpClass::warp:
      return kShuffle;
    case OpClass::load_shared:
      return kShared;
    case OpClass::load_local:
      return kLocal;
    case OpClass::load_const:
      return kConstant;
    case OpClass::tensor:
      return kTensor;
    default:
      return kArithmetic;
  }
}

double length(const Chain& c) { return c.cycles + c.loads * kNominalLoad; }

const Chain& longer(const Chain& a, const Chain& b) { return length(a) < length(b) ? b : a; }

/// Registers whose loads are under way, and for how long they will be; ascending.
using Pending = std::map<Val, double>;

class BlockChain {
 public:
  explicit BlockChain(const Pending& before) {
    for (const auto& [v, left] : before) values_[v] = Chain{0, left / kNominalLoad, 0};
  }

  void add(const Lir& l) {
    if (is_plain_move(l) && l.guard == kNoVal) return rename(l);
    Chain ready = floor_;
    for (const Val v : {l.a, l.b, l.c, l.guard}) await(v, ready);
    for (std::size_t k = l.more_defs; k < l.more.size(); ++k) await(l.more[k], ready);
    // Lanes that a guard leaves out keep what they had.
    if (l.guard != kNoVal) for_results(l, [&](Val v) { await(v, ready); });
    issued_ = longer(issued_, ready);
    slots_ += 1;
    if (is_copy(l)) copies_ += 1;
    if (l.info.op_class == OpClass::barrier) floor_ = issued_;
    Chain done = ready;
    if (waits_for_memory(l))
      done.loads += 1;
    else
      done.cycles += latency_of(l);
    for_results(l, [&](Val v) { values_[v] = done; });
  }

  [[nodiscard]] Chain end() const {
    Chain all = longer(issued_, Chain{slots_, 0, 0});
    all.copies = copies_;
    return all;
  }

  /// What is under way behind the block; results of arithmetic are there.
  [[nodiscard]] Pending behind() const {
    const double now = length(end());
    Pending left;
    for (const auto& [v, ready] : values_)
      if (ready.loads > 0 && length(ready) > now) left[v] = length(ready) - now;
    return left;
  }

 private:
  template <class Visit>
  static void for_results(const Lir& l, Visit visit) {
    if (is_register(l.d)) visit(l.d);
    for (std::size_t k = 0; k < l.more_defs; ++k)
      if (is_register(l.more[k])) visit(l.more[k]);
  }

  /// A move is a new name, and waits for nothing.
  void rename(const Lir& l) {
    if (!is_register(l.d)) return;
    const auto it = is_register(l.a) ? values_.find(l.a) : values_.end();
    values_[l.d] = it != values_.end() ? it->second : Chain{};
  }

  void await(Val v, Chain& ready) const {
    if (!is_register(v)) return;
    const auto it = values_.find(v);
    if (it != values_.end()) ready = longer(ready, it->second);
  }

  std::unordered_map<Val, Chain> values_;
  Chain floor_, issued_;
  double slots_ = 0, copies_ = 0;
};

BlockChain chain_of(const LoweredKernel& k, const FlowBlock& block, const Pending& before) {
  BlockChain chain(before);
  for (std::uint32_t i = block.first; i < block.last; ++i) {
    const Lir& l = k.code[i];
    if (!l.ghost && l.info.counted) chain.add(l);
  }
  return chain;
}

/// The later of both for each register.
void merge(Pending& into, const Pending& other) {
  for (const auto& [v, left] : other) into[v] = std::max(into[v], left);
}

// What a block waits for decides what the next ones wait for, and in loops the other way round: so
// many rounds are an answer for loops in loops.
constexpr int kRounds = 3;

}  // namespace

std::vector<Chain> find_chains(const LoweredKernel& k, const FlowGraph& g) {
  const std::size_t blocks = g.blocks.size();
  std::vector<std::vector<std::uint32_t>> before(blocks);
  for (std::uint32_t b = 0; b < blocks; ++b)
    for (const std::uint32_t s : g.blocks[b].successors)
      if (s < blocks) before[s].push_back(b);
  std::vector<Chain> chains(blocks);
  std::vector<Pending> behind(blocks);
  for (int round = 0; round < kRounds; ++round) {
    for (std::uint32_t b = 0; b < blocks; ++b) {
      Pending now;
      for (const std::uint32_t p : before[b]) merge(now, behind[p]);
      const BlockChain chain = chain_of(k, g.blocks[b], now);
      chains[b] = chain.end();
      behind[b] = chain.behind();
    }
  }
  return chains;
}

}  // namespace warpwright::simt
