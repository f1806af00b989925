// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "simt/lower/flow.h"

// Reads of registers that nothing wrote. Almost no register can be read before it is written, and
// flow analysis shows it; for the few others the kernel keeps a word of shadow, one bit a lane.
// What a shuffle with a partial mask reads from a lane that takes no part is followed likewise, in
// a second word: a stray value, which nobody may use.

namespace warpwright::simt {

/// Which registers need a shadow word.
struct Definedness {
  std::vector<std::uint32_t> shadow;  ///< by virtual register; kNoShadow: always written first
  std::vector<bool> stray;            ///< by virtual register: may hold a stray value
  std::uint32_t count = 0;
  [[nodiscard]] bool may_stray(Val v) const {
    return v != kNoVal && (v & kConstantBit) == 0 && !stray.empty() && stray[v];
  }
  [[nodiscard]] std::uint32_t of(Val v) const {
    return v == kNoVal || (v & kConstantBit) != 0 || count == 0 ? kNoShadow : shadow[v];
  }
};

Definedness find_undefined(const LoweredKernel& k, const FlowGraph& g);

/// What an instruction does to shadow words, to be executed before it.
struct ShadowStep {
  std::vector<std::uint32_t> read;  ///< shadow words of what it reads
  std::vector<std::uint32_t> written;
  std::uint32_t guard = kNoShadow;
  bool reports = false;      ///< the values get out: memory, addresses, branches
  bool propagates = false;   ///< results are as undefined as what was read
  bool selects = false;      ///< read[0] where the predicate c holds, else read[1]
  bool only_strays = false;  ///< other undefined values may be read
  bool shuffles = false;     ///< the shuffle itself does it, with shadow words of a and d
  [[nodiscard]] bool needed() const {
    return (!written.empty() && !shuffles) || (reports && (!read.empty() || guard != kNoShadow));
  }
};
ShadowStep shadow_step(const Definedness& d, const Lir& l);

}  // namespace warpwright::simt
