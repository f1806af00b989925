// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/evaluation.h"
#include "device/device.h"
#include "verify/cases.h"
#include "verify/check.h"

namespace warpwright::evaluate {

// What the model may read: no paths, no tolerances, no seeds.

/// Compiler messages with the source lines they are about; errors before warnings, trimmed.
std::string compile_feedback(const std::vector<Diagnostic>& diagnostics, std::string_view source);

/// "line 12: ..." with the line quoted, or the message alone where no line is known.
std::string at_line(int line, std::string_view message, std::string_view source);

std::string fault_feedback(const std::vector<device::Fault>& faults, const verify::Case& item,
                           std::string_view source);

/// "size 33x65 (...): 12 of 2145 elements of 'output' are wrong; ...": the case once.
std::string mismatch_reason(const verify::Mismatch& mismatch, const verify::Case& item);

/// The first wrong elements, expected and got, at which size and with which inputs. What may
/// explain it follows.
std::string mismatch_feedback(const verify::Mismatch& mismatch, const verify::Case& item,
                              const std::vector<Finding>& causes, std::string_view source);

/// "size 33x65 (cols = 65, rows = 33), inputs 'ramp'"
std::string describe_case(const verify::Case& item);

}  // namespace warpwright::evaluate
