// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/archive.h"

namespace warpwright::store {

/// What is known of a reply without its texts.
struct ReplyFacts {
  std::string model;
  std::string finish_reason;
  std::string origin;
  std::int64_t fresh = 0;
  std::int64_t cache_read = 0;
  std::int64_t cache_write = 0;
  std::int64_t output = 0;
  std::int64_t reasoning_tokens = 0;
  bool estimated = false;
  double cost_usd = 0;
  bool unpriced = false;
  bool has_reasoning = false;
  std::int64_t created_ms = 0;
};

/// A verdict as it is stored: `result` is the whole result's JSON text (docs/formats.md).
struct StoredVerdict {
  std::string result;
  std::int64_t created_ms = 0;
};

/// One trial with times and references instead of texts, so that a reader may look often.
struct TrialStory {
  PromptRecord prompt;                                ///< without its messages
  std::vector<std::pair<int, std::string>> messages;  ///< role, sha256 of the text
  std::int64_t asked_ms = 0;
  std::optional<ReplyFacts> reply;
  std::vector<FailureRecord> failures;
  bool has_candidate = false;
  std::string source_sha256;  ///< empty: no code, for `reason`
  std::string reason;
  std::optional<StoredVerdict> verdict;
};

struct EventRecord {
  std::int64_t at_ms = 0;
  std::string kind;
  std::string data;
};

/// Reads runs for people: everything in a handful of queries, in one snapshot, whatever a search
/// is writing meanwhile. Works on an Archive opened for reading only.
class StoryReader {
 public:
  explicit StoryReader(Archive& archive) : archive_(archive) {}

  /// In order of round, slot and repair.
  Result<std::vector<TrialStory>> trials(const std::string& run);
  Result<std::optional<StoredVerdict>> baseline(const std::string& run);
  Result<std::vector<EventRecord>> events(const std::string& run);

  /// How many questions each run has asked.
  Result<std::map<std::string, int>> question_counts();

  /// A source's or a message's text; none when the archive has no such text.
  Result<std::optional<std::string>> text(const std::string& sha256);
  /// Reply and reasoning; none when there is no reply.
  Result<std::optional<std::pair<std::string, std::string>>> reply_texts(const std::string& run,
                                                                         const std::string& trial);

  /// Changes whenever another process has committed something.
  Result<std::int64_t> version();

 private:
  Archive& archive_;
};

}  // namespace warpwright::store
