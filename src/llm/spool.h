// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "llm/model.h"

namespace warpwright::llm {

/// An outcome as it waits on disk, and what the provider itself said it cost.
struct SpooledOutcome {
  Outcome outcome;
  std::optional<double> stated_usd;
};

/// The one class that knows the spool directory: ID.json is the outcome of one attempt, whole or
/// absent; ID.lock is held by the courier that works on it. An outcome is final for its id: a
/// caller that wants another attempt asks under another id. Failures that cost nothing are not
/// kept, so the same id may be asked again.
class Spool {
 public:
  explicit Spool(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Letters, digits, '.', '_' and '-', at most 200, not starting with '.'.
  static bool is_valid_id(std::string_view id);

  [[nodiscard]] std::filesystem::path lock_path(std::string_view id) const;
  [[nodiscard]] std::filesystem::path outcome_path(std::string_view id) const;
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

  /// Nothing when the attempt has no outcome yet.
  [[nodiscard]] Result<std::optional<SpooledOutcome>> load(std::string_view id) const;
  /// Durable when it returns.
  [[nodiscard]] Status store(std::string_view id, const SpooledOutcome& spooled) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace warpwright::llm
