// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "simt/state/report.h"

namespace warpwright::device {

/// A launch report as a JSON object; docs/formats.md, "Launch report".
std::string launch_report_json(const simt::LaunchReport& report);

/// One fault as a JSON object.
std::string launch_fault_json(const simt::Fault& fault);

}  // namespace warpwright::device
