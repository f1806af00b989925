// SPDX-License-Identifier: Apache-2.0
#include "simt/lower/write_origins.h"

#include <algorithm>

namespace warpwright::simt {
namespace {

// Kernels beyond any that people write are not followed, so that loading stays quick.
constexpr std::size_t kMostSteps = std::size_t{1} << 22;

bool is_constant(Val v) { return v != kNoVal && (v & kConstantBit) != 0; }

bool is_load(OpClass c) {
  return c == OpClass::load_global || c == OpClass::load_shared || c == OpClass::load_local ||
         c == OpClass::load_const || c == OpClass::atomic;
}

/// Whether an instruction writes to memory that other blocks see, at the address in its operand a.
bool writes_global(const Lir& l) {
  const OpClass c = l.info.op_class;
  return (c == OpClass::store_global || c == OpClass::atomic) &&
         l.info.text.find(".shared") == std::string_view::npos;
}

/// Follows addresses from where they are used back to where they come from.
class Tracer {
 public:
  explicit Tracer(const LoweredKernel& k)
      : k_(k), defs_(k.registers.size()), pack_(op_table().find("=pack.b64")) {
    for (std::uint32_t i = 0; i < k.code.size(); ++i) {
      const Lir& l = k.code[i];
      note(l.d, i);
      for (std::uint32_t m = 0; m < l.more_defs; ++m) note(l.more[m], i);
    }
  }

  /// False when the address may be any.
  bool trace(Val address, std::vector<std::uint32_t>& origins) {
    seen_.assign(defs_.size(), 0);
    open_.clear();
    origins_ = &origins;
    known_ = true;
    reach(address, false);
    while (!open_.empty() && known_) {
      const auto [v, half] = open_.back();
      open_.pop_back();
      for (const std::uint32_t i : defs_[v]) follow(k_.code[i], v, half);
    }
    std::sort(origins.begin(), origins.end());
    origins.erase(std::unique(origins.begin(), origins.end()), origins.end());
    return known_;
  }

 private:
  void note(Val v, std::uint32_t at) {
    if (v != kNoVal && !is_constant(v)) defs_[v].push_back(at);
  }

  /// `half`: a part of an address, where 32 bits count as much as 64 do elsewhere.
  void reach(Val v, bool half) {
    if (v == kNoVal || ++steps_ > kMostSteps) {
      known_ = known_ && steps_ <= kMostSteps;
      return;
    }
    if (is_constant(v)) {
      const std::uint32_t index = v & ~kConstantBit;
      const Constant& c = k_.kernel.constants[index];
      if (c.kind == Constant::Kind::global || (c.kind == Constant::Kind::param && c.extent == 8))
        origins_->push_back(index);
      else if (c.kind == Constant::Kind::param && half)
        known_ = false;
      return;
    }
    const std::uint8_t bit = half ? 2 : 1;
    // Predicates choose between addresses and are none themselves.
    if (k_.registers[v] == 0 || (seen_[v] & bit) != 0) return;
    seen_[v] |= bit;
    open_.emplace_back(v, half);
  }

  void follow(const Lir& l, Val v, bool half) {
    const OpClass c = l.info.op_class;
    if (is_load(c)) {
      // What is narrower than an address is a number to compute one with.
      known_ = known_ && k_.registers[v] < 8 && !half;
      return;
    }
    if (l.info.opcode != Opcode::arithmetic && c != OpClass::warp) {
      known_ = false;
      return;
    }
    const bool parts = half || l.info.row == pack_;
    for (const Val from : {l.a, l.b, l.c}) reach(from, parts);
    for (std::size_t m = l.more_defs; m < l.more.size(); ++m) reach(l.more[m], parts);
  }

  const LoweredKernel& k_;
  std::vector<std::vector<std::uint32_t>> defs_;  ///< by register: instructions that write it
  const OpRow* pack_;
  std::vector<std::uint8_t> seen_;
  std::vector<std::pair<Val, bool>> open_;
  std::vector<std::uint32_t>* origins_ = nullptr;
  std::size_t steps_ = 0;
  bool known_ = true;
};

}  // namespace

WriteOrigins find_write_origins(const LoweredKernel& k) {
  WriteOrigins all;
  if (k.kernel.uses_heap) return all;
  Tracer tracer(k);
  std::vector<Val> traced;
  for (const Lir& l : k.code) {
    if (l.flow == Lir::Flow::call || l.flow == Lir::Flow::give_back) return all;
    // A tensor map says where, and it is data.
    if (l.info.opcode == Opcode::copy_tensor && l.info.op_class == OpClass::store_global)
      return all;
    if (!writes_global(l) || std::find(traced.begin(), traced.end(), l.a) != traced.end()) continue;
    traced.push_back(l.a);
    std::vector<std::uint32_t> origins;
    if (!tracer.trace(l.a, origins) || origins.empty()) return all;
    if (std::find(all.sites.begin(), all.sites.end(), origins) == all.sites.end())
      all.sites.push_back(std::move(origins));
  }
  all.known = true;
  return all;
}

}  // namespace warpwright::simt
