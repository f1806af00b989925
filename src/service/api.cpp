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

/// One item on its way: a ticket, or a verdict that needs no judge.
struct Asked {
  int status = 200;  ///< else the item is refused, and `error` says why
  std::string error;
  std::shared_ptr<Ticket> ticket;
  std::optional<Evaluation> at_once;
  std::string reward = kUsualReward;
  bool complete = false;
};

Evaluation without_code(const std::string& why) {
  Evaluation evaluation;
  evaluation.verdict = Verdict::no_code;
  evaluation.stage = Stage::reply;
  evaluation.feedback = why;
  return evaluation;
}

Asked ask(mcp::Workshop& workshop, JudgeQueue& queue, const Json& item, const std::string& client) {
  Asked asked;
  asked.reward = item.value("reward", std::string(kUsualReward));
  asked.complete = item.value("complete", false);
  if (item.contains("source") == item.contains("answer")) {
    return {.status = 400, .error = "give either 'source' or 'answer'"};
  }
  auto task = suite::load_embedded_task(item["task"].get<std::string>());
  if (!task.ok()) return {.status = 404, .error = task.error().message};
  mcp::JudgeWish wish{.task = std::move(task).value()};
  if (item.contains("answer")) {
    const auto found = prompt::extract_source(item["answer"].get<std::string>(), "stop");
    if (!found.ok) {
      asked.at_once = without_code(found.reason);
      return asked;
    }
    wish.source = found.source;
  } else {
    wish.source = clean_utf8(item["source"].get<std::string>());
  }
  for (const auto& label : item.value("sizes", Json::array())) {
    wish.sizes.push_back(label.get<std::string>());
  }
  wish.rule_set = item.value("rule_set", std::string());
  for (const auto& label : wish.sizes) {
    if (size_labelled(wish.task, label) == nullptr) {
      return {.status = 400, .error = "the task has no size '" + label + "'"};
    }
  }
  const Json key = {task_to_json(wish.task), wish.source, wish.sizes, wish.rule_set};
  asked.ticket = queue.ask(dump_json(key), client, [&workshop, wish](const StopSignal& stop) {
    return workshop.judge(wish, stop);
  });
  if (!asked.ticket) return {.status = 429, .error = "the queue is full; come back later"};
  return asked;
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
  const auto until = deadline_of(body.value("wait_s", kUsualWaitSeconds));
  if (!batch) {
    const auto [status, answer] = waited(ask(workshop_, queue_, body, client), until);
    return status == 429 ? refused(429, answer["error"].get<std::string>())
                         : json_of(status, answer);
  }
  // All of them first: they are judged side by side.
  std::vector<Asked> all;
  for (const Json& item : body["items"]) all.push_back(ask(workshop_, queue_, item, client));
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
  const double wait_s = body.value("wait_s", kUsualWaitSeconds);
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
  row("judge_seconds_total", "counter", "Time that judgements took.", figures.judged_s);
  text +=
      "# HELP warpwright_verdicts_total Judgements by verdict.\n"
      "# TYPE warpwright_verdicts_total counter\n";
  for (const auto& [verdict, count] : figures.verdicts) {
    text += fmt::format("warpwright_verdicts_total{{verdict=\"{}\"}} {}\n", verdict, count);
  }
  return {200, "text/plain; version=0.0.4; charset=utf-8", text};
}

}  // namespace warpwright::service
