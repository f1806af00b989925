// SPDX-License-Identifier: Apache-2.0
#include "service/api.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/embedded.h"
#include "base/text.h"
#include "core/json_reader.h"
#include "core/task_json.h"
#include "mcp/schema.h"
#include "mcp/summary.h"
#include "prompt/extract.h"
#include "service/rewards.h"
#include "suite/load.h"

namespace warpwright {
std::span<const EmbeddedFile> service_files();
}

namespace warpwright::service {

namespace {

using mcp::Json;
using report::WebAnswer;
using report::WebRequest;
using std::chrono::milliseconds;

constexpr std::size_t kMaxBodyBytes = std::size_t{16} << 20;
constexpr std::size_t kMaxItems = 64;
constexpr std::int64_t kMaxTextBytes = std::int64_t{1} << 20;
constexpr double kUsualWaitSeconds = 60;
constexpr const char* kUsualReward = "kevin";
constexpr int kMostWaiters = 96;  // of the server's threads, see cli/verb_serve.cpp

/// A request that waits, as long as this exists.
class Waiter {
 public:
  explicit Waiter(std::atomic<int>& count) : count_(count) { ++count_; }
  ~Waiter() { --count_; }
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

 private:
  std::atomic<int>& count_;
};

std::vector<std::string> reward_names() {
  std::vector<std::string> names;
  for (const Reward& row : rewards()) names.emplace_back(row.name);
  return names;
}

Json item_schema() {
  return mcp::closed(
      {mcp::need("task", mcp::text("", 200)), mcp::may("source", mcp::text("", kMaxTextBytes)),
       mcp::may("answer", mcp::text("", kMaxTextBytes)),
       mcp::may("sizes", mcp::list(mcp::text("", 200), "", 32)),
       mcp::may("rule_set", mcp::word("", {"strict", "free"})),
       mcp::may("reward", mcp::word("", reward_names())), mcp::may("complete", mcp::flag())});
}

Json request_schema() {
  Json schema = item_schema();
  schema["properties"]["client"] = mcp::text("", 200);
  schema["properties"]["wait_s"] = mcp::number("", 0, 600);
  return schema;
}

Json batch_schema() {
  return mcp::closed({mcp::need("items", mcp::list(item_schema(), "", kMaxItems)),
                      mcp::may("client", mcp::text("", 200)),
                      mcp::may("wait_s", mcp::number("", 0, 600))});
}

WebAnswer json_of(int status, const Json& body) {
  return {status, "application/json", dump_json(body) + "\n"};
}

WebAnswer refused(int status, const std::string& why) {
  WebAnswer answer = json_of(status, {{"error", why}});
  if (status == 429) answer.headers.emplace_back("Retry-After", "5");
  return answer;
}

Evaluation without_code(const std::string& why) {
  Evaluation evaluation;
  evaluation.verdict = Verdict::no_code;
  evaluation.stage = Stage::reply;
  evaluation.feedback = why;
  return evaluation;
}

/// What a question asks for, or why it is none.
Result<mcp::JudgeWish> wish_of(const Json& item) {
  auto task = suite::load_embedded_task(item["task"].get<std::string>());
  if (!task.ok()) return task.error();
  mcp::JudgeWish wish{.task = std::move(task).value()};
  wish.source = item.value("source", std::string());
  for (const auto& label : item.value("sizes", Json::array())) {
    wish.sizes.push_back(label.get<std::string>());
  }
  wish.rule_set = item.value("rule_set", std::string());
  return wish;
}

std::string key_of(const mcp::JudgeWish& wish, const std::string& manner) {
  const Json key = {manner, task_to_json(wish.task), wish.source, wish.sizes, wish.rule_set};
  return dump_json(key);
}

Json judged_json(const Evaluation& evaluation, const std::string& reward, bool complete) {
  Json answer = mcp::evaluation_answer(evaluation, complete).data;
  answer["reward"] = find_reward(reward)->of(evaluation);
  answer["reward_name"] = reward;
  for (const Reward& row : rewards()) answer["rewards"][std::string(row.name)] = row.of(evaluation);
  return answer;
}

/// What a client is told of a ticket, and with which status.
std::pair<int, Json> told(const Ticket::Stand& stand, const std::string& id,
                          const std::string& reward, bool complete) {
  if (stand.state != Ticket::State::done) {
    return {202,
            {{"id", id}, {"state", stand.state == Ticket::State::queued ? "queued" : "running"}}};
  }
  if (!stand.evaluation) return {503, {{"id", id}, {"state", "failed"}, {"error", stand.error}}};
  Json answer = judged_json(*stand.evaluation, reward, complete);
  answer["id"] = id;
  return {200, answer};
}

std::pair<int, Json> waited(const Asked& asked, std::chrono::steady_clock::time_point until) {
  if (asked.status != 200) return {asked.status, {{"error", asked.error}}};
  if (asked.at_once) return {200, judged_json(*asked.at_once, asked.reward, asked.complete)};
  const auto left =
      std::chrono::duration_cast<milliseconds>(until - std::chrono::steady_clock::now());
  return told(asked.ticket->wait(std::max(left, milliseconds(0))), asked.ticket->id(), asked.reward,
              asked.complete);
}

std::chrono::steady_clock::time_point deadline_of(double wait_s) {
  return std::chrono::steady_clock::now() + milliseconds(static_cast<std::int64_t>(wait_s * 1e3));
}

}  // namespace

JudgeService::JudgeService(mcp::Workshop& workshop, QueueOptions options, std::string manner)
    : workshop_(workshop), manner_(std::move(manner)), ledger_(options.ledger), queue_(options) {
  resume_questions();
}

/// What an earlier process was asked and did not judge. A question that this program would judge in
/// another way is asked anew by whoever still wants to know.
void JudgeService::resume_questions() {
  if (ledger_ == nullptr) return;
  const auto questions = ledger_->unfinished();
  if (!questions.ok()) return;
  for (const auto& question : *questions) {
    const auto parsed = mcp::parse_text(question.wish);
    const Json* item = std::get_if<Json>(&parsed);
    const bool known = item != nullptr && mcp::schema_objection(item_schema(), *item).empty();
    auto wish = known ? wish_of(*item) : Result<mcp::JudgeWish>(Error{"not ours"});
    if (!wish.ok() || JudgeQueue::id_of(key_of(*wish, manner_)) != question.id) {
      static_cast<void>(ledger_->drop(question.id).ok());
      continue;
    }
    queue_.resume(question.id, question.client,
                  [this, wish = std::move(wish).value()](const StopSignal& stop) {
                    return workshop_.judge(wish, stop);
                  });
  }
}

Asked JudgeService::ask(const Json& item, const std::string& client) {
  Asked asked;
  asked.reward = item.value("reward", std::string(kUsualReward));
  asked.complete = item.value("complete", false);
  const auto no = [](int status, std::string why) {
    Asked refusal;
    refusal.status = status;
    refusal.error = std::move(why);
    return refusal;
  };
  if (item.contains("source") == item.contains("answer")) {
    return no(400, "give either 'source' or 'answer'");
  }
  auto wish = wish_of(item);
  if (!wish.ok()) return no(404, wish.error().message);
  if (item.contains("answer")) {
    const auto found = prompt::extract_source(item["answer"].get<std::string>(), "stop");
    if (!found.ok) {
      asked.at_once = without_code(found.reason);
      return asked;
    }
    wish->source = found.source;
  } else {
    wish->source = clean_utf8(wish->source);
  }
  for (const auto& label : wish->sizes) {
    if (size_labelled(wish->task, label) == nullptr) {
      return no(400, "the task has no size '" + label + "'");
    }
  }
  Json again = {{"task", wish->task.name}, {"source", wish->source}, {"sizes", wish->sizes}};
  if (!wish->rule_set.empty()) again["rule_set"] = wish->rule_set;
  const Asking asking{key_of(*wish, manner_), client, dump_json(again)};
  asked.ticket = queue_.ask(asking, [this, wish = std::move(wish).value()](const StopSignal& stop) {
    return workshop_.judge(wish, stop);
  });
  if (!asked.ticket) return no(429, "the queue is full; come back later");
  return asked;
}

/// How long this request may wait: not at all where many do already, so that there is always
/// somebody to answer.
double JudgeService::patience(double wait_s) const { return waiters_ < kMostWaiters ? wait_s : 0; }

std::string_view openapi_text() { return service_files()[0].content; }

std::vector<report::Endpoint> JudgeService::endpoints() {
  return {{"/v1/judge", {"POST"}, kMaxBodyBytes, [this](const auto& r) { return judge(r); }},
          {"/v1/result", {"POST"}, kMaxBodyBytes, [this](const auto& r) { return result(r); }},
          {"/metrics", {"GET"}, 0, [this](const auto&) { return metrics(); }},
          {"/openapi.json", {"GET"}, 0, [](const auto&) {
             return WebAnswer{200, "application/json", std::string(openapi_text())};
           }}};
}

WebAnswer JudgeService::judge(const WebRequest& request) {
  auto parsed = mcp::parse_text(request.body);
  if (const auto* error = std::get_if<mcp::RpcError>(&parsed)) return refused(400, error->message);
  const Json& body = std::get<Json>(parsed);
  const bool batch = body.is_object() && body.contains("items");
  const std::string wrong = mcp::schema_objection(batch ? batch_schema() : request_schema(), body);
  if (!wrong.empty()) return refused(400, wrong);
  const std::string client = body.value("client", std::string());
  const auto until = deadline_of(patience(body.value("wait_s", kUsualWaitSeconds)));
  const Waiter waiter(waiters_);
  if (!batch) {
    const auto [status, answer] = waited(ask(body, client), until);
    return status == 429 ? refused(429, answer["error"].get<std::string>())
                         : json_of(status, answer);
  }
  // All of them first: they are judged side by side.
  std::vector<Asked> all;
  for (const Json& item : body["items"]) all.push_back(ask(item, client));
  Json answers = Json::array();
  for (const Asked& asked : all) {
    auto [status, answer] = waited(asked, until);
    answer["status"] = status;
    answers.push_back(std::move(answer));
  }
  return json_of(200, {{"items", answers}});
}

WebAnswer JudgeService::result(const WebRequest& request) {
  auto parsed = mcp::parse_text(request.body);
  if (const auto* error = std::get_if<mcp::RpcError>(&parsed)) return refused(400, error->message);
  const Json& body = std::get<Json>(parsed);
  const Json schema = mcp::closed(
      {mcp::need("id", mcp::text("", 200)), mcp::may("wait_s", mcp::number("", 0, 600)),
       mcp::may("reward", mcp::word("", reward_names())), mcp::may("complete", mcp::flag())});
  if (const auto wrong = mcp::schema_objection(schema, body); !wrong.empty()) {
    return refused(400, wrong);
  }
  const auto ticket = queue_.find(body["id"].get<std::string>());
  if (!ticket) return refused(404, "there is no such judgement; old ones are forgotten");
  const double wait_s = patience(body.value("wait_s", kUsualWaitSeconds));
  const Waiter waiter(waiters_);
  const auto stand = ticket->wait(milliseconds(static_cast<std::int64_t>(wait_s * 1e3)));
  const auto [status, answer] =
      told(stand, ticket->id(), body.value("reward", std::string(kUsualReward)),
           body.value("complete", false));
  return json_of(status, answer);
}

WebAnswer JudgeService::metrics() {
  const QueueFigures figures = queue_.figures();
  std::string text;
  const auto row = [&](const char* name, const char* type, const char* help, auto value) {
    text +=
        fmt::format("# HELP warpwright_{0} {2}\n# TYPE warpwright_{0} {1}\nwarpwright_{0} {3}\n",
                    name, type, help, value);
  };
  row("queue_waiting", "gauge", "Questions that wait.", figures.waiting);
  row("queue_running", "gauge", "Judgements under way.", figures.running);
  row("questions_total", "counter", "Questions asked.", figures.asked);
  row("questions_shared_total", "counter", "Answered by a judgement of an equal question.",
      figures.shared);
  row("questions_refused_total", "counter", "Refused for lack of room.", figures.refused);
  row("judge_failures_total", "counter", "Judgements that the judge itself broke.", figures.failed);
  row("judge_retries_total", "counter", "Judgements begun again because their judge failed.",
      figures.retried);
  row("questions_resumed_total", "counter", "Questions of an earlier process.", figures.resumed);
  row("judge_seconds_total", "counter", "Time that judgements took.", figures.judged_s);
  if (ledger_ != nullptr) {
    if (const auto kept = ledger_->figures(); kept.ok()) {
      row("ledger_open", "gauge", "Questions on disk without a verdict.", kept->open);
      row("ledger_verdicts", "gauge", "Verdicts on disk.", kept->done);
      row("ledger_judged_again", "gauge", "Questions that more than one judge began.",
          kept->judged_again);
    }
  }
  text +=
      "# HELP warpwright_verdicts_total Judgements by verdict.\n"
      "# TYPE warpwright_verdicts_total counter\n";
  for (const auto& [verdict, count] : figures.verdicts) {
    text += fmt::format("warpwright_verdicts_total{{verdict=\"{}\"}} {}\n", verdict, count);
  }
  return {200, "text/plain; version=0.0.4; charset=utf-8", text};
}

}  // namespace warpwright::service
