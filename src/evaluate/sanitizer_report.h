// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "device/device.h"

namespace warpwright::evaluate {

/// What compute-sanitizer wrote about one run.
struct SanitizerReport {
  std::vector<device::Fault> faults;  ///< one per place, in the order of the report
  bool complete = false;              ///< the tool wrote its summary
  std::string trouble;                ///< what kept the tool from working, or empty
};

/// Total: any text gives a report. Lines are those of `source_file`; messages hold no addresses
/// and no paths. Reads of memory that nobody wrote have the kind uninitialised_read.
SanitizerReport parse_sanitizer_report(std::string_view text, std::string_view source_file);

/// Whether the tool's word counts for a fault of a kernel with this text. It knows neither which
/// bytes a `wgmma` reads nor what an `mbarrier` orders, and calls right kernels wrong.
bool tool_can_tell(const device::Fault& fault, std::string_view ptx);

}  // namespace warpwright::evaluate
