// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "port/report.h"
#include "repair/port_judge.h"

namespace warpwright::cli {

/// A search for a file of a port that proves what rules alone did not.
struct PortSearch {
  repair::PortProof proof;  ///< all but the file
  std::shared_ptr<SettingFlags> settings;
  std::string archive;
  std::string resume;  ///< a run to go on with; empty: a new one
  std::string cache;
  bool quiet = false;
};

/// How it ended.
struct PortMended {
  std::optional<std::string> source;  ///< of the file, where one was found
  std::string file;
  bool waits = false;              ///< for answers that somebody else gives
  std::vector<std::string> notes;  ///< for the report
};

/// Asks the model of the settings until a version of the file holds, within the limits.
Result<PortMended> mend_port(PortSearch search, const port::PortReport& report);

}  // namespace warpwright::cli
