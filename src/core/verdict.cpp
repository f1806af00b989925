// SPDX-License-Identifier: Apache-2.0
#include "core/verdict.h"

#include <array>

#include "base/assert.h"

namespace warpwright {

namespace {

struct VerdictRow {
  std::string_view name;
  RepairKind repair;
};

// Indexed by the verdict's number. An answer without code is repaired like a compile error: both
// say "this text is not a program".
constexpr std::array<VerdictRow, kVerdictCount> kVerdicts = {{
    {"ok", RepairKind::none},
    {"no_code", RepairKind::compile},
    {"forbidden", RepairKind::compile},
    {"compile_error", RepairKind::compile},
    {"host_error", RepairKind::launch},
    {"launch_error", RepairKind::launch},
    {"memory_fault", RepairKind::launch},
    {"race", RepairKind::mismatch},
    {"timeout", RepairKind::launch},
    {"mismatch", RepairKind::mismatch},
    {"precision", RepairKind::mismatch},
    {"cheat", RepairKind::mismatch},
    {"harness_error", RepairKind::none},
    {"unchecked", RepairKind::none},
}};

constexpr std::array<std::string_view, kStageCount> kStageNames = {
    "reply", "lint", "build", "record", "validate", "measure", "sanitize"};

const VerdictRow& row_of(Verdict verdict) {
  const auto index = static_cast<std::size_t>(verdict);
  ASSERT(index < kVerdicts.size(), "unknown verdict");
  return kVerdicts[index];
}

}  // namespace

std::string_view name_of(Verdict verdict) { return row_of(verdict).name; }

std::string_view name_of(Stage stage) {
  const auto index = static_cast<std::size_t>(stage);
  ASSERT(index < kStageNames.size(), "unknown stage");
  return kStageNames[index];
}

std::optional<Verdict> verdict_named(std::string_view name) {
  for (std::size_t i = 0; i < kVerdicts.size(); ++i) {
    if (kVerdicts[i].name == name) return static_cast<Verdict>(i);
  }
  return std::nullopt;
}

std::optional<Stage> stage_named(std::string_view name) {
  for (std::size_t i = 0; i < kStageNames.size(); ++i) {
    if (kStageNames[i] == name) return static_cast<Stage>(i);
  }
  return std::nullopt;
}

RepairKind repair_kind(Verdict verdict) { return row_of(verdict).repair; }

}  // namespace warpwright
