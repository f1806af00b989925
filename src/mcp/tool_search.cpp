// SPDX-License-Identifier: Apache-2.0
// Tools around a search: start it, follow it, answer its questions, end it.
#include <fmt/format.h>

#include "base/clock.h"
#include "mcp/runs.h"
#include "mcp/tool.h"

namespace warpwright::mcp {

namespace {

constexpr double kUsualFollowSeconds = 20;
constexpr std::chrono::milliseconds kSearchGlance{250};

template <class T>
std::optional<T> optional_of(const Json& object, const char* key) {
  if (!object.contains(key)) return std::nullopt;
  return object[key].get<T>();
}

/// The state that a client sees: what the archive says, and whether somebody works on it here.
struct Followed {
  store::RunRecord run;
  std::vector<store::PromptRecord> questions;
  std::optional<SearchStand> stand;
};

Result<Followed> look_at(ToolBox& box, const std::string& name) {
  const SystemClock clock;
  WW_TRY(const auto archive, store::Archive::open_read_only(box.workshop.archive(), clock));
  Followed seen;
  WW_TRY(seen.run, archive->find_run(name));
  WW_TRY(seen.questions, archive->pending(seen.run.id));
  seen.stand = box.workshop.search_stand(seen.run.id);
  return seen;
}

/// Only the client can bring a run of the inbox forward, and only while it waits.
bool waits_for_client(const Followed& seen) {
  return seen.run.model == "inbox" && !seen.questions.empty() &&
         (!seen.stand || seen.stand->judging == 0);
}

bool is_over(const Followed& seen) { return !seen.stand || !seen.stand->alive; }

Json stand_json(const Followed& seen) {
  Json data = {{"run", seen.run.id},
               {"task", seen.run.task},
               {"status", name_of(seen.run.status)},
               {"ending", seen.run.ending},
               {"alive", seen.stand && seen.stand->alive},
               {"best_trial", seen.run.best_trial},
               {"questions", Json::array()}};
  if (seen.run.model == "inbox") {
    for (const auto& question : seen.questions) data["questions"].push_back(question.trial);
  }
  if (!seen.stand) return data;
  const SearchStand& stand = *seen.stand;
  data["round"] = stand.round;
  data["finished"] = stand.finished;
  data["valid"] = stand.valid;
  data["asking"] = stand.asking;
  data["judging"] = stand.judging;
  data["evaluations"] = stand.evaluations;
  data["tokens"] = stand.tokens;
  data["elapsed_s"] = stand.elapsed_s;
  if (stand.usd) data["usd"] = *stand.usd;
  if (stand.best_us) data["best_us"] = *stand.best_us;
  if (stand.best_speedup) data["best_speedup"] = *stand.best_speedup;
  if (!stand.error.empty()) data["error"] = stand.error;
  return data;
}

std::string stand_text(const Followed& seen) {
  std::string text = fmt::format("Run {}: {}{}{}.", seen.run.id, name_of(seen.run.status),
                                 seen.run.ending.empty() ? "" : ", ", seen.run.ending);
  if (seen.stand) {
    const SearchStand& s = *seen.stand;
    text += fmt::format(" Round {}, {} trials judged, {} valid, {} being judged, {} being asked.",
                        s.round, s.finished, s.valid, s.judging, s.asking);
    if (s.best_us) text += fmt::format(" Best {:.3f} us", *s.best_us);
    if (s.best_speedup) text += fmt::format(" (x{:.2f})", *s.best_speedup);
    if (s.best_us) text += " by trial " + s.best_trial + ".";
    if (!s.error.empty()) text += " It failed: " + s.error;
  }
  if (seen.run.model == "inbox" && !seen.questions.empty()) {
    text += " Open questions: ";
    for (const auto& question : seen.questions) text += question.trial + " ";
    text += "- read each with read_question and answer it with answer_question.";
  }
  return text + "\n";
}

Result<ToolAnswer> followed(ToolBox& box, const Json& arguments, const CallScope& scope) {
  const auto name = arguments["run"].get<std::string>();
  const double wait_s = arguments.value("wait_s", kUsualFollowSeconds);
  const auto start = std::chrono::steady_clock::now();
  double reported = 0;
  for (;;) {
    WW_TRY(const Followed seen, look_at(box, name));
    const double waited =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (is_over(seen) || waits_for_client(seen) || waited >= wait_s) {
      return ToolAnswer{stand_json(seen), stand_text(seen)};
    }
    if (scope.stop.requested()) return Error{"cancelled; the search goes on"};
    if (scope.progress && waited >= reported + 1) {
      reported = waited;
      scope.progress(waited, 0, fmt::format("{} trials judged", seen.stand->finished));
    }
    std::this_thread::sleep_for(kSearchGlance);
  }
}

SearchWish wish_of(Task task, const Json& arguments) {
  SearchWish wish;
  wish.task = std::move(task);
  wish.inbox = arguments.value("model", std::string("server")) == "inbox";
  wish.strategy = arguments.value("strategy", std::string());
  wish.candidates = optional_of<int>(arguments, "candidates");
  wish.depth = optional_of<int>(arguments, "depth");
  const Json& budget = arguments["budget"];
  wish.evaluations = budget["evaluations"].get<std::int64_t>();
  wish.wall_s = optional_of<double>(budget, "wall_s");
  wish.usd = optional_of<double>(budget, "usd");
  wish.tokens = optional_of<std::int64_t>(budget, "tokens");
  return wish;
}

Result<ToolAnswer> asked_question(ToolBox& box, const Json& arguments) {
  WW_TRY(const Followed seen, look_at(box, arguments["run"].get<std::string>()));
  const auto wanted = arguments.value("question", std::string());
  for (const auto& question : seen.questions) {
    if (!wanted.empty() && question.trial != wanted) continue;
    std::string text;
    for (const auto& message : question.messages) text += message.text + "\n";
    return ToolAnswer{{{"run", seen.run.id}, {"question", question.trial}, {"prompt", text}}, text};
  }
  return Error{wanted.empty() ? "run '" + seen.run.id + "' has no open question"
                              : "run '" + seen.run.id + "' has no open question '" + wanted + "'"};
}

ToolAnswer finished(Result<ToolAnswer> result) {
  return result.ok() ? std::move(result).value() : tool_failure(result.error().message);
}

}  // namespace

ToolAnswer start_search(ToolBox& box, const Json& arguments, const CallScope&) {
  auto task = task_of(box, arguments);
  if (!task.ok()) return tool_failure(task.error().message);
  const auto run = box.workshop.start_search(wish_of(std::move(task).value(), arguments));
  if (!run.ok()) return tool_failure(run.error().message);
  return {{{"run", *run}},
          "Started run " + *run +
              ". Follow it with follow_search; fetch_kernel gives its best "
              "kernel at any time.\n"};
}

ToolAnswer follow_search(ToolBox& box, const Json& arguments, const CallScope& scope) {
  return finished(followed(box, arguments, scope));
}

ToolAnswer stop_search(ToolBox& box, const Json& arguments, const CallScope&) {
  const auto seen = look_at(box, arguments["run"].get<std::string>());
  if (!seen.ok()) return tool_failure(seen.error().message);
  const Status status = box.workshop.stop_search(seen->run.id);
  if (!status.ok()) return tool_failure(status.error().message);
  return {{{"run", seen->run.id}},
          "Run " + seen->run.id + " is told to end. What it found is kept.\n"};
}

ToolAnswer read_question(ToolBox& box, const Json& arguments, const CallScope&) {
  return finished(asked_question(box, arguments));
}

ToolAnswer answer_question(ToolBox& box, const Json& arguments, const CallScope& scope) {
  const auto seen = look_at(box, arguments["run"].get<std::string>());
  if (!seen.ok()) return tool_failure(seen.error().message);
  const auto question = arguments["question"].get<std::string>();
  const Status status = box.workshop.tell(seen->run.id, question,
                                          arguments["answer"].get<std::string>(), scope.client);
  if (!status.ok()) return tool_failure(status.error().message);
  return {{{"run", seen->run.id}, {"question", question}},
          "Stored the answer to " + question + ". It is judged now: follow_search tells when.\n"};
}

}  // namespace warpwright::mcp
