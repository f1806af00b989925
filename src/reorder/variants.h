// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "reorder/proof.h"

namespace warpwright::reorder {

/// The same kernel as ptxas assembles it with other flags.
struct Variant {
  std::string name, flags;
  std::string cubin;   ///< empty: there is none,
  std::string unmade;  ///< because of this
};

/// How one was tried.
struct VariantOutcome {
  std::string name, flags;
  std::optional<double>
      ratio;                   ///< of a quick trial: its time to that of the kernel as it was built
  std::optional<Proof> proof;  ///< of those that looked faster, until one passed
  std::string why_not;         ///< without a proof

  [[nodiscard]] bool accepted() const { return proof && proof->passed(); }
};

/// Tries them all, then begins the proof of those that looked faster, fastest first, until one
/// passes: whoever keeps it finishes its proof. `is_over` ends it early: what was not tried says
/// so.
Result<std::vector<VariantOutcome>> try_variants(const std::vector<Variant>& variants,
                                                 Canary& canary, const ProofOptions& options,
                                                 const std::function<bool()>& is_over);

}  // namespace warpwright::reorder
