// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fstream>
#include <map>

#include "base/files.h"
#include "base/text.h"
#include "core/json_reader.h"
#include "data/source.h"
#include "prompt/extract.h"

namespace warpwright::data {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::json;

std::string text_at(const Json& row, const char* key) {
  const auto found = row.find(key);
  return found != row.end() && found->is_string() ? clean_utf8(found->get<std::string>()) : "";
}

std::int64_t reasoning_tokens_of(const Json& row) {
  const auto usage = row.find("usage");
  if (usage == row.end() || !usage->is_object()) return 0;
  const auto count = usage->find("reasoning");
  return count != usage->end() && count->is_number_integer() ? count->get<std::int64_t>() : 0;
}

/// "--lane free" or "--rule-set free" among a run's flags.
std::string rule_set_among(std::string_view flags) {
  std::string last, word, rule_set;
  for (const char c : std::string(flags) + " ") {
    if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      word += c;
      continue;
    }
    if (word.empty()) continue;
    if (last == "--lane" || last == "--rule-set") rule_set = word;
    last = std::exchange(word, "");
  }
  return rule_set;
}

class RecordingSource final : public Source {
 public:
  RecordingSource(fs::path folder, std::shared_ptr<const Task> task, std::string rule_set)
      : name_(folder.string()),
        folder_(std::move(folder)),
        task_(std::move(task)),
        rule_set_(std::move(rule_set)) {}

  [[nodiscard]] const std::string& name() const override { return name_; }

  Status each(const std::function<Status(const Place&)>& see) override {
    for (const auto& trial : order_) WW_CHECK(see({0, trial}));
    return {};
  }

  Result<Sample> fetch(const Place& place) override {
    const auto found = lines_.find(place.trial);
    if (found == lines_.end()) return Error{name_ + " has no answer '" + place.trial + "'"};
    WW_TRY(const std::string line, line_at(found->second.first, found->second.second));
    WW_TRY(Sample sample, sample_of_line(line));
    sample.origin = (folder_.parent_path().filename() / folder_.filename()).string();
    sample.run = sample.origin;
    sample.task_name = folder_.filename().string();
    sample.task = task_;
    sample.rule_set = rule_set_;
    if (const auto parent = parents_.find(place.trial); parent != parents_.end()) {
      sample.parent = parent->second;
    }
    if (const auto prompt = prompts_.find(place.trial); prompt != prompts_.end()) {
      if (const auto text = read_file(folder_ / prompt->second); text.ok()) {
        sample.messages = messages_of_prompt(*text);
      }
    }
    return sample;
  }

  /// Finds the answers, their prompts, and whose code each prompt shows.
  Status look() {
    std::ifstream file(folder_ / "conversation.jsonl", std::ios::binary);
    std::string line;
    std::int64_t at = 0;
    while (std::getline(file, line)) {
      const auto size = static_cast<std::int64_t>(line.size());
      if (!trimmed(line).empty()) WW_CHECK(note(line, at, size));
      at += size + 1;
    }
    if (order_.empty()) return Error{"'" + name_ + "' has no conversation.jsonl with answers"};
    return find_parents();
  }

 private:
  Status note(const std::string& line, std::int64_t at, std::int64_t size) {
    auto sample = sample_of_line(line);
    if (!sample.ok()) {
      return Error{"'" + name_ + "/conversation.jsonl': " + sample.error().message};
    }
    if (sample->trial.empty()) return {};
    const std::string& trial = sample->trial;
    if (!lines_.try_emplace(trial, at, size).second) {
      return Error{"'" + name_ + "/conversation.jsonl' has two answers '" + trial + "'"};
    }
    order_.push_back(trial);
    const Json row = Json::parse(line, nullptr, false);
    const fs::path prompt = text_at(row, "prompt");
    // A recording names files of its own folder alone.
    bool inside = !prompt.empty() && prompt.is_relative();
    for (const auto& part : prompt) inside = inside && part != "..";
    if (inside) prompts_[trial] = prompt.string();
    return {};
  }

  Result<std::string> line_at(std::int64_t at, std::int64_t size) const {
    std::ifstream file(folder_ / "conversation.jsonl", std::ios::binary);
    file.seekg(at);
    std::string line(static_cast<std::size_t>(size), '\0');
    if (!file.read(line.data(), size)) return Error{"cannot read '" + name_ + "'"};
    return line;
  }

  /// A repair follows the answer that it repairs. Any other answer refines the one whose code its
  /// prompt shows.
  Status find_parents() {
    std::map<std::string, std::string> sources;  // one recording's: small
    for (const auto& trial : order_) {
      WW_TRY(const Sample sample, fetch({0, trial}));
      std::string parent;
      if (const auto fix = trial.rfind(".fix"); fix != std::string::npos) {
        const std::string before = trial.substr(0, fix);
        const int number = std::atoi(trial.c_str() + fix + 4);
        parent = number > 1 ? before + ".fix" + std::to_string(number - 1) : before;
        if (!lines_.contains(parent)) parent.clear();
      }
      for (const auto& message : sample.messages) {
        if (!parent.empty()) break;
        for (const auto& [name, source] : sources) {
          const std::string_view text = trimmed(source);
          if (text.size() > 40 && message.text.find(text) != std::string::npos) parent = name;
        }
      }
      if (!parent.empty() && parent != trial) parents_[trial] = parent;
      if (!sample.source.empty()) sources[trial] = sample.source;
    }
    return {};
  }

  std::string name_;
  fs::path folder_;
  std::shared_ptr<const Task> task_;
  std::string rule_set_;
  std::vector<std::string> order_;
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> lines_;  ///< trial -> place, bytes
  std::map<std::string, std::string> prompts_;                          ///< trial -> file
  std::map<std::string, std::string> parents_;
};

bool is_recording(const fs::path& path) {
  std::error_code code;
  return fs::is_regular_file(path / "conversation.jsonl", code);
}

Result<std::vector<fs::path>> recordings_below(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code code;
  for (fs::recursive_directory_iterator at(folder, code), end; !code && at != end;
       at.increment(code)) {
    if (is_recording(at->path())) found.push_back(at->path());
  }
  if (code) return Error{"cannot look into '" + folder.string() + "': " + code.message()};
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

Result<Sample> sample_of_line(std::string_view line) {
  const Json row = Json::parse(line.begin(), line.end(), nullptr, false);
  if (!row.is_object() || text_at(row, "id").empty()) {
    return Error{"a line is no JSON object with an \"id\""};
  }
  Sample sample;
  if (!text_at(row, "error").empty()) return sample;
  if (!row.contains("text") || !row["text"].is_string()) {
    return Error{"'" + text_at(row, "id") + "' has neither \"text\" nor \"error\""};
  }
  sample.trial = text_at(row, "id");
  sample.answer = text_at(row, "text");
  sample.reasoning = text_at(row, "reasoning");
  sample.reasoning_tokens = reasoning_tokens_of(row);
  sample.model = text_at(row, "model");
  auto found = prompt::extract_source(sample.answer, text_at(row, "finish_reason"));
  sample.source = found.ok ? std::move(found.source) : "";
  sample.no_code = found.ok ? "" : std::move(found.reason);
  return sample;
}

std::vector<ChatMessage> messages_of_prompt(std::string_view text) {
  std::vector<ChatMessage> messages;
  constexpr std::string_view kTitle = "### ";
  for (const std::string_view line : lines_of(text)) {
    const std::string_view role = line.starts_with(kTitle) ? line.substr(kTitle.size()) : "";
    if (role == "system" || role == "user" || role == "assistant") {
      messages.push_back({std::string(role), ""});
      continue;
    }
    if (messages.empty()) messages.push_back({"user", ""});
    messages.back().text.append(line).append("\n");
  }
  for (auto& message : messages) message.text = std::string(trimmed(message.text)) + "\n";
  return messages;
}

Result<std::unique_ptr<Source>> open_recording(const fs::path& folder, const FindTask& find_task) {
  const fs::path clean = folder.filename().empty() ? folder.parent_path() : folder;
  const auto flags = read_file(clean / "flags");
  auto source = std::make_unique<RecordingSource>(clean, find_task(clean.filename().string()),
                                                  flags.ok() ? rule_set_among(*flags) : "");
  WW_CHECK(source->look());
  return std::unique_ptr<Source>(std::move(source));
}

Result<std::vector<std::unique_ptr<Source>>> open_sources(const std::vector<std::string>& names,
                                                          const Clock& clock,
                                                          const FindTask& find_task) {
  std::vector<std::unique_ptr<Source>> sources;
  for (const auto& name : names) {
    std::error_code code;
    if (!fs::is_directory(name, code)) {
      WW_TRY(auto archive, open_archive(name, clock));
      sources.push_back(std::move(archive));
      continue;
    }
    std::vector<fs::path> folders = {name};
    if (!is_recording(name)) {
      WW_TRY(folders, recordings_below(name));
    }
    if (folders.empty()) return Error{"there is no conversation.jsonl in or below '" + name + "'"};
    for (const auto& folder : folders) {
      WW_TRY(auto recording, open_recording(folder, find_task));
      sources.push_back(std::move(recording));
    }
  }
  return sources;
}

}  // namespace warpwright::data
