// SPDX-License-Identifier: Apache-2.0
#include "simt/lower/data_reads.h"

#include <algorithm>

#include "simt/ops/handlers.h"

namespace warpwright::simt {
namespace {

bool is_plain_register(Val v) { return v != kNoVal && (v & kConstantBit) == 0; }

bool is_plain_move(const Lir& l) {
  return l.info.opcode == Opcode::arithmetic && l.info.row != nullptr &&
         l.info.row->native.rule == ShapeRule::move;
}

class DataReadFinder {
 public:
  explicit DataReadFinder(LoweredKernel& k)
      : k_(k), loaded_(k.registers.size()), data_(k.registers.size()) {}

  void run() {
    for (const Lir& l : k_.code) {
      if (!is_strong_load(l)) continue;
      set(loaded_, l.d);
      for (std::uint32_t m = 0; m < l.more_defs; ++m) set(loaded_, l.more[m]);
    }
    repeat(
        [&](const Lir& l) { return is_plain_move(l) && has(loaded_, l.a) && set(loaded_, l.d); });
    for (const Lir& l : k_.code)
      if (computes(l))
        for (const Val v : {l.a, l.b, l.c}) set(data_, v);
    repeat([&](const Lir& l) { return is_plain_move(l) && has(data_, l.d) && set(data_, l.a); });
    for (Lir& l : k_.code) {
      bool data = has(data_, l.d);
      for (std::uint32_t m = 0; m < l.more_defs; ++m) data = data || has(data_, l.more[m]);
      if (is_strong_load(l) && data) l.aux |= kDataRead;
    }
  }

 private:
  static bool has(const std::vector<bool>& all, Val v) { return is_plain_register(v) && all[v]; }
  /// Whether that is new.
  static bool set(std::vector<bool>& all, Val v) {
    if (!is_plain_register(v) || all[v]) return false;
    all[v] = true;
    return true;
  }

  template <class Step>
  void repeat(Step step) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const Lir& l : k_.code) changed = step(l) || changed;
    }
  }

  /// A comparison gives a predicate, and is what flags are for.
  [[nodiscard]] bool computes(const Lir& l) const {
    if (l.info.opcode != Opcode::arithmetic || !is_plain_register(l.d) || k_.registers[l.d] == 0)
      return false;
    const OpClass c = l.info.op_class;
    if (c == OpClass::fp32 || c == OpClass::fp64 || c == OpClass::fp16) return true;
    const bool two = has(loaded_, l.a) && has(loaded_, l.b) && l.a != l.b;
    return c == OpClass::integer && two;
  }

  LoweredKernel& k_;
  std::vector<bool> loaded_, data_;
};

}  // namespace

void mark_data_reads(LoweredKernel& k) {
  if (std::any_of(k.code.begin(), k.code.end(), is_strong_load)) DataReadFinder(k).run();
}

}  // namespace warpwright::simt
