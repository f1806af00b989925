// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "reorder/tune.h"
#include "reorder/variants.h"
#include "sass/latency.h"

namespace warpwright::reorder {

/// What is to be made faster without another word of source.
struct Improvable {
  const sass::Program& program;   ///< as it was built
  std::string kernel;             ///< the function; empty = the largest
  sass::LatencyTable table;       ///< of its architecture
  std::vector<Variant> variants;  ///< other ways to assemble it, tried first
  /// A variant's cubin with its instructions understood.
  std::function<Result<sass::Program>(std::string cubin)> read;
};

/// What was gained, by flags and by schedules apart.
struct Improvement {
  std::string kernel;
  std::vector<VariantOutcome> variants;
  std::string variant;  ///< the accepted one; empty = none
  std::string note;     ///< why its schedules were not searched; empty = they were
  Tuned schedule;       ///< searched on top of the variant
  PairedFigures whole;  ///< of the result, to the kernel as it was built
  std::string cubin;    ///< the result; as it was built where nothing was accepted

  [[nodiscard]] bool accepted() const { return !variant.empty() || schedule.accepted; }
  /// Of what was accepted; null where nothing was.
  [[nodiscard]] const Proof* proof() const;
  /// Compared with the kernel as it was built, none of them different.
  [[nodiscard]] std::uint64_t outputs() const;
  /// "2.10 % faster (95 %: 1.50 to 2.70)", or why it stays as it was built.
  [[nodiscard]] std::string sentence() const;
};

/// The function of a name, else the largest.
Result<const sass::Function*> function_named(const sass::Program& program, const std::string& name);

/// Variants, then schedules of the best of them, or of the kernel as it was built.
Result<Improvement> improve(const Improvable& kernel, Canary& canary, const TuneOptions& options);

/// The report (docs/sass.md).
std::string improvement_json(const Improvement& improvement, const TuneOptions& options);

}  // namespace warpwright::reorder
