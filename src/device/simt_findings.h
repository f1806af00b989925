// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "core/evaluation.h"
#include "device/device.h"
#include "simt/estimate.h"
#include "simt/state/report.h"

namespace warpwright::device {

/// What a fault of the machine means for the candidate. Lines of other files than the candidate's
/// are left out.
Fault fault_of(const simt::Fault& fault, std::string_view source_file);

/// Reads of memory nobody wrote are worth telling, but alone no reason to reject: a padded tile
/// may load what it then drops. A result that depends on them is wrong under random poison.
/// Barriers met from different lines work on all hardware. A benign race has one outcome.
bool is_only_a_finding(const simt::Fault& fault);

/// What in a launch wastes time, worst first: uncoalesced accesses, bank conflicts, divergence,
/// atomics in a queue, local memory, low occupancy. Each has its line, its numbers and one
/// sentence of advice.
std::vector<Finding> findings_of(const simt::LaunchReport& report, const simt::Estimate& estimate,
                                 std::string_view source_file);

}  // namespace warpwright::device
