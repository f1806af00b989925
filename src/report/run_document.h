// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/page.h"
#include "store/archive.h"

namespace warpwright::report {

struct RunPageOptions {
  std::int64_t made_ms = 0;  ///< the time to print on it
  std::string bench;         ///< a benchmark's JSON: its comparators go beside the run's times
  std::string bench_file;    ///< its name, for messages
};

/// The page of one run with everything in it.
Result<Page> run_page(store::Archive& archive, const std::string& run,
                      const RunPageOptions& options);

}  // namespace warpwright::report
