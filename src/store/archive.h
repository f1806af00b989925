// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "store/records.h"

namespace warpwright::store {

struct Database;

/// All runs of one SQLite file (write-ahead log, every commit synced). Several processes may use
/// it at once; one thread per Archive object. Nothing that was committed is lost by kill -9 or a
/// power cut. The format is store/schema.sql.
class Archive {
 public:
  /// Opens or creates; older formats are migrated, newer ones refused.
  static Result<std::unique_ptr<Archive>> open(const std::filesystem::path& path,
                                               const Clock& clock);
  /// Opens an existing archive for reading only: never creates, migrates or locks out a search
  /// that writes to it. Works on read-only media too.
  static Result<std::unique_ptr<Archive>> open_read_only(const std::filesystem::path& path,
                                                         const Clock& clock);
  ~Archive();
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const;

  /// Stores a new run; its id is the task's name and the next free number, its folder's name is
  /// drawn. Both are durable when this returns.
  Result<std::string> create_run(RunRecord run, const std::vector<ConfigValue>& config);
  Result<std::vector<RunRecord>> runs();
  /// By id, by unique beginning of an id, or "last"; the error lists what there is.
  Result<RunRecord> find_run(std::string_view name);
  Result<std::vector<ConfigValue>> config(const std::string& run);
  Status set_config(const std::string& run, const ConfigValue& value);
  /// Other settings for a run, and its strategy, model and device as they follow from them.
  Status restate_run(const RunRecord& run, const std::vector<ConfigValue>& config);
  Status set_state(const RunRecord& run);  ///< status, ending, best_trial, elapsed_ms

  /// Questions without an answer.
  Result<std::vector<PromptRecord>> pending(const std::string& run);
  /// How many answers the run has; changes exactly when one arrives.
  Result<int> answer_count(const std::string& run);
  /// Stores an answer to a pending question; an answer once stored is never replaced.
  Status tell(const std::string& run, const std::string& trial, const ReplyRecord& reply);

  /// Everything of one run, in order of round, slot and repair.
  Result<std::vector<TrialRecord>> trials(const std::string& run);
  Result<std::vector<MessageRecord>> messages(const std::string& run, const std::string& trial);

  /// Those that a model or a person answered, in the same order, by name, and one of them: for
  /// readers of any number. What somebody began with, or a step after the search made, is no
  /// answer.
  Result<std::vector<std::string>> answered_trials(const std::string& run);
  Result<TrialRecord> trial(const std::string& run, const std::string& name);

  /// What was made from sources of the run, oldest first; without its content unless it is asked
  /// for.
  enum class Content { left_out, read };
  Result<std::vector<DerivedRecord>> derived(const std::string& run,
                                             Content content = Content::left_out);
  /// One per source and kind: what is there already stays.
  Status add_derived(const std::string& run, const DerivedRecord& record);

 private:
  Status complete(const std::string& run, TrialRecord& trial);
  friend class RunLog;
  friend class StoryReader;
  explicit Archive(std::unique_ptr<Database> database);
  std::unique_ptr<Database> database_;
};

}  // namespace warpwright::store
