// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "data/sample.h"

namespace warpwright::data {

/// Where one answer lies in its source.
struct Place {
  std::uint32_t run = 0;
  std::string trial;
};

/// Answers of models: an archive or a recording. Holds names, never texts: these are read when
/// they are asked for, one at a time.
class Source {
 public:
  virtual ~Source() = default;
  [[nodiscard]] virtual const std::string& name() const = 0;
  /// All answers, the turns of a run in their order.
  virtual Status each(const std::function<Status(const Place& place)>& see) = 0;
  virtual Result<Sample> fetch(const Place& place) = 0;
};

/// How tasks are found by name; null: it is not known.
using FindTask = std::function<std::shared_ptr<const Task>(const std::string& name)>;

/// An archive's runs.
Result<std::unique_ptr<Source>> open_archive(const std::filesystem::path& file, const Clock& clock);

/// A recording: a folder with conversation.jsonl, prompts/ and flags. The task is called as the
/// folder is. Verdicts it has none.
Result<std::unique_ptr<Source>> open_recording(const std::filesystem::path& folder,
                                               const FindTask& find_task);

/// What a user names: an archive file, a recording, or a folder with recordings anywhere below.
Result<std::vector<std::unique_ptr<Source>>> open_sources(const std::vector<std::string>& names,
                                                          const Clock& clock,
                                                          const FindTask& find_task);

/// One line of conversation.jsonl: an answer without its messages, or why it is none. An empty
/// trial: the line records a failure.
Result<Sample> sample_of_line(std::string_view line);

/// The messages of a prompt file.
std::vector<ChatMessage> messages_of_prompt(std::string_view text);

}  // namespace warpwright::data
