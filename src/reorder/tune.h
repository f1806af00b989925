// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reorder/canary.h"
#include "sass/program.h"
#include "sass/search.h"

namespace warpwright::reorder {

struct TuneOptions {
  std::string strategy = "anneal";
  std::uint64_t seed = 1;
  double search_s = 30;
  std::uint64_t input_sets = 256;
  std::uint64_t outputs = 1'000'000'000;  ///< to compare before a schedule is accepted
  double proof_s = 60;                    ///< for that at most
  double pair_s = 3;                      ///< of a paired comparison
};

/// How a kernel's tuning ended.
struct Tuned {
  bool accepted = false;
  std::string why_not;
  std::string cubin;  ///< the accepted one, else as it was built
  sass::SearchResult search;
  double searched_s = 0;
  PairedFigures figures;
  std::uint64_t input_sets = 0, outputs = 0;  ///< compared, none of them different
  int replaced = 0;                           ///< children
};

/// Searches, then proves the finalists, fastest first, until one passes everything: all input sets,
/// the outputs, and a paired comparison whose whole interval is a gain.
Result<Tuned> tune(const sass::Program& program, const sass::Kernel& kernel, Canary& canary,
                   const TuneOptions& options);

std::string tuned_json(const Tuned& tuned, const TuneOptions& options, const sass::Kernel& kernel);

}  // namespace warpwright::reorder
