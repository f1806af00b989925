// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "reorder/proof.h"
#include "sass/program.h"
#include "sass/search.h"

namespace warpwright::reorder {

struct TuneOptions {
  std::string strategy = "anneal";
  std::uint64_t seed = 1;
  double variants_s = 60;  ///< for other ways to assemble, at most
  double search_s = 30;
  ProofOptions proof;
  /// Asked between two steps; true ends the work with what was found by then.
  std::function<bool()> is_over = [] { return false; };
};

/// Shares of a time for everything.
TuneOptions tune_within(double total_s);

/// How the search for a schedule ended.
struct Tuned {
  bool accepted = false;
  std::string why_not;
  std::string cubin;  ///< the accepted one, else as it was given
  sass::SearchResult search;
  double searched_s = 0;
  int finer_blocks = 0;    ///< whose scoreboards are shared by fewer than as assembled
  double finer_ratio = 1;  ///< of the time in the order as assembled, in quick trials
  Proof proof;             ///< of the last finalist that was looked at
  int replaced = 0;        ///< children
};

/// Searches schedules of a function of a program, then proves the finalists, fastest first, until
/// one passes everything. Where finer scoreboards are no slower, their orders are searched. `rival`
/// is what they must be faster than: empty where the program is the kernel as it was built, else
/// the program's own cubin.
Result<Tuned> tune(const sass::Program& program, const sass::Function& function,
                   const sass::LatencyTable& table, Canary& canary, const TuneOptions& options,
                   const std::string& rival = "");

}  // namespace warpwright::reorder
