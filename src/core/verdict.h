// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace warpwright {

/// How a candidate's life ended. Closed list, written to disk, never renumber.
enum class Verdict : int {
  ok = 0,
  no_code = 1,    ///< the reply holds no usable source
  forbidden = 2,  ///< breaks a rule of the task or its rule set
  compile_error = 3,
  host_error = 4,    ///< the host part misused the runtime API or died
  launch_error = 5,  ///< a launch the device refuses
  memory_fault = 6,  ///< out of bounds, misaligned, use after free
  race = 7,
  timeout = 8,
  mismatch = 9,    ///< wrong values
  precision = 10,  ///< right only to a lower precision than the task demands
  cheat = 11,
  harness_error = 12,  ///< the judge's own failure: never counts against a candidate
  unchecked = 13,      ///< nothing wrong was seen, and a part could not be checked here
};
inline constexpr int kVerdictCount = 14;

/// The stage that decided. Written to disk, never renumber.
enum class Stage : int {
  reply = 0,
  lint = 1,
  build = 2,
  record = 3,
  validate = 4,
  measure = 5,
  sanitize = 6,  ///< between validate and measure
};
inline constexpr int kStageCount = 7;

/// Which refined prompt a verdict calls for (the paper's four kinds).
enum class RepairKind { none, compile, launch, mismatch };

std::string_view name_of(Verdict verdict);
std::string_view name_of(Stage stage);
std::optional<Verdict> verdict_named(std::string_view name);
std::optional<Stage> stage_named(std::string_view name);

/// none for ok, harness_error and unchecked.
RepairKind repair_kind(Verdict verdict);

}  // namespace warpwright
