// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "reorder/canary.h"

namespace warpwright::reorder {

/// How much is asked of machine code before it is taken in the place of a kernel as it was built.
struct ProofOptions {
  std::uint64_t input_sets = 256;
  std::uint64_t fuzz_sets = 4;            ///< of all cases, under every disturbance
  double fuzz_s = 20;                     ///< for that at most
  std::uint64_t outputs = 1'000'000'000;  ///< to compare
  double proof_s = 60;                    ///< for that at most
  double pair_s = 3;                      ///< of a paired comparison
};

/// What was shown of it, as far as it went. Every output that was compared was the same.
struct Proof {
  std::string why_not;    ///< empty: it passed everything
  PairedFigures figures;  ///< its time to its rival's
  std::uint64_t input_sets = 0, outputs = 0;
  std::string met;           ///< what it met while its timing was disturbed
  std::uint64_t wanted = 0;  ///< outputs; 0: many were not asked for
  double limit_s = 0;        ///< for those

  [[nodiscard]] bool passed() const { return why_not.empty(); }
  /// As many outputs as were wanted; else as many as the time allowed.
  [[nodiscard]] bool is_whole() const { return outputs >= wanted; }
};

/// The first steps, in this order: a paired comparison whose whole interval is a gain over the
/// rival (empty: the kernel as it was built), all input sets of all cases, disturbed timing.
Result<Proof> begin_proof(const std::string& cubin, const std::string& rival, Canary& canary,
                          const ProofOptions& options);
/// The last one, of what has passed the others: outputs are compared until as many as wanted were
/// the same in all steps, or the time for it is up.
Status finish_proof(const std::string& cubin, Canary& canary, const ProofOptions& options,
                    Proof& proof);
/// All steps.
Result<Proof> prove(const std::string& cubin, const std::string& rival, Canary& canary,
                    const ProofOptions& options);

nlohmann::ordered_json figures_json(const PairedFigures& figures);
nlohmann::ordered_json proof_json(const Proof& proof);

}  // namespace warpwright::reorder
