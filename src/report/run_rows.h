// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/evaluation.h"
#include "core/task.h"
#include "store/story.h"

namespace warpwright::report {

/// How a page refers to a long text: by number in a file, by name on a live page.
class TextLinks {
 public:
  virtual ~TextLinks() = default;
  virtual nlohmann::json stored(const std::string& sha256) = 0;  ///< a source or a message
  virtual nlohmann::json reply(const std::string& trial) = 0;
  virtual nlohmann::json reasoning(const std::string& trial) = 0;
  virtual nlohmann::json result(const std::string& trial, const std::string& text) = 0;
  virtual nlohmann::json own(const std::string& name, const std::string& text) = 0;
};

/// A run as the archive had it at one moment.
struct RunStory {
  store::RunRecord run;
  std::vector<store::ConfigValue> config;
  std::vector<store::EventRecord> events;
  std::vector<store::TrialStory> trials;
  std::vector<store::DerivedRecord> derived;  ///< without content
  std::optional<store::StoredVerdict> baseline_verdict;
  std::optional<Evaluation> baseline;  ///< when it can be read
  std::optional<Task> task;            ///< when it can be read
};

Result<RunStory> read_story(store::Archive& archive, const std::string& run);

/// Everything but the trials; the page's data is described in docs/report.md.
nlohmann::json head_of(const RunStory& story, TextLinks& links);

nlohmann::json row_of(const store::TrialStory& trial, const RunStory& story, TextLinks& links);

/// Also for a number that no status has: an archive may be damaged.
std::string status_name(store::RunStatus status);

/// Seven significant digits are more than any figure here has.
double rounded(double number);

}  // namespace warpwright::report
