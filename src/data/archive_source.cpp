// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "core/task_json.h"
#include "data/source.h"
#include "store/archive.h"

namespace warpwright::data {

namespace {

constexpr std::string_view kRoleNames[] = {"system", "user", "assistant"};

class ArchiveSource final : public Source {
 public:
  ArchiveSource(std::unique_ptr<store::Archive> archive, std::vector<store::RunRecord> runs)
      : name_(archive->path().string()), archive_(std::move(archive)), runs_(std::move(runs)) {}

  [[nodiscard]] const std::string& name() const override { return name_; }

  Status each(const std::function<Status(const Place&)>& see) override {
    for (std::uint32_t i = 0; i < runs_.size(); ++i) {
      WW_TRY(const auto trials, archive_->answered_trials(runs_[i].id));
      for (const auto& trial : trials) WW_CHECK(see({i, trial}));
    }
    return {};
  }

  Result<Sample> fetch(const Place& place) override {
    const store::RunRecord& run = runs_.at(place.run);
    WW_TRY(auto trial, archive_->trial(run.id, place.trial));
    WW_TRY(const auto messages, archive_->messages(run.id, place.trial));
    Sample sample;
    sample.origin = name_.substr(name_.rfind('/') + 1);
    sample.run = run.id;
    sample.trial = place.trial;
    sample.parent = trial.prompt.parent;
    sample.task_name = run.task;
    sample.task = task_of(place.run);
    sample.rule_set = rule_set_of(place.run);
    for (const auto& message : messages) {
      const bool known = message.role >= 0 && message.role < 3;
      sample.messages.push_back(
          {std::string(known ? kRoleNames[message.role] : "user"), message.text});
    }
    if (trial.reply) {
      sample.answer = std::move(trial.reply->text);
      sample.reasoning = std::move(trial.reply->reasoning);
      sample.reasoning_tokens = trial.reply->reasoning_tokens;
      sample.model = std::move(trial.reply->model);
    }
    if (trial.candidate) {
      sample.source = std::move(trial.candidate->source);
      sample.no_code = std::move(trial.candidate->reason);
    }
    sample.evaluation = std::move(trial.evaluation);
    return sample;
  }

 private:
  std::shared_ptr<const Task> task_of(std::uint32_t run) {
    auto& known = tasks_[runs_[run].task_json];
    if (known == nullptr) {
      auto task = task_from_json(runs_[run].task_json);
      if (task.ok()) known = std::make_shared<const Task>(std::move(task).value());
    }
    return known;
  }

  std::string rule_set_of(std::uint32_t run) {
    const auto found = rule_sets_.find(run);
    if (found != rule_sets_.end()) return found->second;
    std::string& rule_set = rule_sets_[run];
    if (const auto config = archive_->config(runs_[run].id); config.ok()) {
      for (const auto& value : *config) {
        if (value.key == "judge.rule_set" || value.key == "judge.lane") rule_set = value.value;
      }
    }
    return rule_set;
  }

  std::string name_;
  std::unique_ptr<store::Archive> archive_;
  std::vector<store::RunRecord> runs_;
  std::map<std::string, std::shared_ptr<const Task>> tasks_;  ///< by their JSON
  std::map<std::uint32_t, std::string> rule_sets_;            ///< by run
};

}  // namespace

Result<std::unique_ptr<Source>> open_archive(const std::filesystem::path& file,
                                             const Clock& clock) {
  WW_TRY(auto archive, store::Archive::open_read_only(file, clock));
  WW_TRY(auto runs, archive->runs());
  return std::unique_ptr<Source>(
      std::make_unique<ArchiveSource>(std::move(archive), std::move(runs)));
}

}  // namespace warpwright::data
