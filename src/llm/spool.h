// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/files.h"
#include "base/result.h"
#include "llm/model.h"

namespace warpwright::llm {

/// An outcome as it waits on disk, and what the provider itself said it cost.
struct SpooledOutcome {
  Outcome outcome;
  std::optional<double> stated_usd;
};

/// What an outcome answers: SHA-256 of the model's spec, the longest answer and the messages.
std::string request_sha256(std::string_view spec, std::int64_t max_output_tokens,
                           const std::vector<Message>& messages);

/// The one class that knows the spool directory: ID.json is the outcome of one attempt, whole or
/// absent; ID.lock is held by the courier that works on it. An outcome is final for its id and
/// request: a caller that wants another attempt asks under another id. Failures that cost nothing
/// are not kept, so the same id may be asked again.
class Spool {
 public:
  explicit Spool(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Letters, digits, '.', '_' and '-', at most 200, not starting with '.'.
  static bool is_valid_id(std::string_view id);

  [[nodiscard]] std::filesystem::path lock_path(std::string_view id) const;
  [[nodiscard]] std::filesystem::path outcome_path(std::string_view id) const;
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

  /// Nothing when the attempt has no outcome yet, or only that of another request.
  [[nodiscard]] Result<std::optional<SpooledOutcome>> load(std::string_view id,
                                                           std::string_view request) const;
  /// Room on the disk for an answer of so many tokens, at most 16 MiB: to be had before it is paid.
  [[nodiscard]] Result<ReservedFile> reserve(std::string_view id, std::int64_t tokens) const;
  /// Durable when it returns. The reserved room is used up, whatever comes of it.
  [[nodiscard]] Status store(std::string_view id, std::string_view request,
                             const SpooledOutcome& spooled,
                             std::optional<ReservedFile>& room) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace warpwright::llm
