// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/evaluation.h"

namespace warpwright::store {

/// Written to disk, never renumber.
enum class RunStatus : int {
  running = 0,  ///< or its process died: resume goes on
  waiting = 1,  ///< for answers through `tell`
  finished = 2,
  stopped = 3,  ///< by a limit or Ctrl-C; resume goes on
  failed = 4,   ///< the world failed; resume tries again
};

std::string_view name_of(RunStatus status);

/// A setting as the run saw it, and where it came from.
struct ConfigValue {
  std::string key;
  std::string value;
  std::string origin;
};

struct RunRecord {
  std::string id;
  std::string task;
  std::string task_json;
  std::string strategy;
  std::string model;
  std::string device;
  RunStatus status = RunStatus::running;
  std::string ending;
  std::string best_trial;
  std::int64_t created_ms = 0;
  std::int64_t elapsed_ms = 0;
  /// Of what lies beside the archive for this run; its own alone, whatever else is called `id`.
  std::string folder;
};

struct MessageRecord {
  int role = 0;  ///< llm::Role
  std::string text;

  bool operator==(const MessageRecord&) const = default;
};

struct PromptRecord {
  std::string trial;
  int round = 0;
  int slot = 0;
  int repair = 0;
  std::string kind;
  std::string parent;
  std::vector<MessageRecord> messages;
};

struct ReplyRecord {
  std::string text;
  std::string reasoning;
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
  /// The model whose price was not known, by its spec: cost_usd is 0 then. Else empty.
  std::string unpriced = {};
};

struct FailureRecord {
  int attempt = 0;
  std::string error;
  bool is_final = false;
  std::int64_t tokens = 0;
  double cost_usd = 0;
  std::string unpriced = {};  ///< as in ReplyRecord
};

/// A reply's code: the source, or the reason there is none.
struct CandidateRecord {
  std::string source;
  std::string reason;
};

/// Something made from a judged source that is not itself judged as a source: it stands beside the
/// source and never in its place.
struct DerivedRecord {
  std::string source_sha256;
  std::string kind;  ///< "sass": machine code with other flags or another schedule
  bool accepted = false;
  std::string summary;  ///< one sentence: what was gained, or why nothing was
  std::string report;   ///< JSON with the whole proof, docs/sass.md
  std::string content;  ///< the machine code; empty where nothing was accepted
  std::int64_t created_ms = 0;
};

/// One line of a run's story: everything known of one trial.
struct TrialRecord {
  PromptRecord prompt;  ///< without its messages
  std::optional<ReplyRecord> reply;
  std::optional<CandidateRecord> candidate;
  std::string source_sha256;
  std::optional<Evaluation> evaluation;
  std::vector<FailureRecord> failures;
};

}  // namespace warpwright::store
