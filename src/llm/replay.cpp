// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <system_error>

#include "base/files.h"
#include "base/text.h"
#include "llm/json_reading.h"
#include "llm/provider.h"
#include "llm/recording.h"

namespace warpwright::llm {

namespace fs = std::filesystem;

namespace {

using Answers = std::map<std::string, Outcome, std::less<>>;

Outcome outcome_of(const Json& row) {
  Outcome outcome;
  outcome.error = text_of(member(row, "error"));
  if (!outcome.error.empty()) {
    outcome.retry = member(row, "retry") == Json(true);
    outcome.wasted = usage_from_json(member(row, "usage"));
    return outcome;
  }
  outcome.kind = OutcomeKind::answered;
  outcome.reply = Reply{.text = text_of(member(row, "text")),
                        .reasoning = text_of(member(row, "reasoning")),
                        .model = text_of(member(row, "model")),
                        .finish_reason = text_of(member(row, "finish_reason")),
                        .usage = usage_from_json(member(row, "usage"))};
  if (outcome.reply.finish_reason.empty()) outcome.reply.finish_reason = "stop";
  return outcome;
}

Result<Answers> read_answers(const fs::path& path) {
  WW_TRY(const std::string text, read_file(path, std::size_t{1} << 30));
  Answers answers;
  int number = 0;
  for (const std::string_view line : lines_of(text)) {
    ++number;
    if (trimmed(line).empty()) continue;
    const std::string place = "'" + path.string() + "' line " + std::to_string(number);
    const Json row = parse_json(line);
    const std::string id = text_of(member(row, "id"));
    if (id.empty()) return Error{place + ": not a JSON object with an \"id\""};
    if (text_of(member(row, "error")).empty() && !member(row, "text").is_string()) {
      return Error{place + ": id '" + id + "' has neither \"text\" nor \"error\""};
    }
    if (!answers.emplace(id, outcome_of(row)).second) {
      return Error{place + ": id '" + id + "' was answered before"};
    }
  }
  return answers;
}

/// Answers from a recorded conversation; costs nothing now, whatever it cost then.
class ReplayModel final : public Model {
 public:
  ReplayModel(fs::path path, Answers answers)
      : path_(std::move(path)), answers_(std::move(answers)) {}

  [[nodiscard]] std::string name() const override { return "replay:" + path_.string(); }
  [[nodiscard]] int concurrency() const override { return 16; }
  [[nodiscard]] double price_usd(const Usage&) const override { return 0; }

  /// What the recording says, so that token budgets behave as when it was recorded.
  [[nodiscard]] Usage reserve(const Request& request) const override {
    const auto found = answers_.find(request.id);
    return found == answers_.end() ? Usage{} : found->second.reply.usage;
  }

  Outcome ask(const Request& request, const ProgressCallback&, const StopSignal&) override {
    const auto found = answers_.find(request.id);
    if (found != answers_.end()) return found->second;
    Outcome outcome;
    if (follows_a_recorded_one(request.id)) {
      // Whoever was asked then was not asked this: the judge here says something else than the one
      // there. An answer without code is one more candidate that failed, and the search goes on.
      outcome.kind = OutcomeKind::answered;
      outcome.reply = Reply{.text = "(The recording has no answer to this question.)",
                            .model = name(),
                            .finish_reason = "stop"};
      return outcome;
    }
    outcome.error = "the recording '" + path_.string() + "' has no answer for request id '" +
                    request.id + "' (it has " + std::to_string(answers_.size()) +
                    "); it was made with other settings";
    return outcome;
  }

 private:
  /// "r3.c1.fix1" comes after "r3.c1".
  [[nodiscard]] bool follows_a_recorded_one(std::string id) const {
    while (id.find('.') != std::string::npos) {
      id.resize(id.rfind('.'));
      if (answers_.contains(id)) return true;
    }
    return false;
  }

  fs::path path_;
  Answers answers_;
};

}  // namespace

std::string recording_line(std::string_view id, const Reply& reply) {
  return dump_json(Json{{"id", id},
                        {"text", reply.text},
                        {"reasoning", reply.reasoning},
                        {"model", reply.model},
                        {"finish_reason", reply.finish_reason},
                        {"usage", usage_to_json(reply.usage)}}) +
         "\n";
}

Result<std::unique_ptr<Model>> make_replay(const ProviderInput& input) {
  if (input.rest.empty()) return Error{"'replay:' needs a file or folder: replay:PATH"};
  fs::path path(input.rest);
  std::error_code code;
  if (fs::is_directory(path, code)) path /= "conversation.jsonl";
  auto answers = read_answers(path);
  if (!answers.ok()) return Error{"cannot replay: " + answers.error().message};
  return std::unique_ptr<Model>(std::make_unique<ReplayModel>(path, std::move(answers).value()));
}

}  // namespace warpwright::llm
