// SPDX-License-Identifier: Apache-2.0
#include "cli/trace_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <random>

#include "base/files.h"
#include "base/sha256.h"
#include "base/text.h"
#include "core/json_reader.h"
#include "exchange/trace_solution.h"
#include "suite/load.h"

namespace warpwright::cli {

namespace {

using report::WebAnswer;
using report::WebRequest;
using TraceJson = nlohmann::ordered_json;

constexpr std::size_t kMaxSolutionBytes = std::size_t{8} << 20;
constexpr std::size_t kMostJobs = 4096;
constexpr std::size_t kMostAsked = 1024;
constexpr double kLongestWaitSeconds = 3600;
constexpr int kMostWaitingRequests = 64;

std::string json_text(const TraceJson& json) { return dump_json(json); }

WebAnswer web_json(int status, const TraceJson& body) {
  return {status, "application/json", json_text(body) + "\n"};
}

WebAnswer not_found(const std::string& what) { return web_json(404, {{"detail", what}}); }
WebAnswer bad_request(const std::string& why) { return web_json(400, {{"detail", why}}); }

/// What stands behind the endpoint's own path: "a/b" of "/definitions/a/b".
std::string path_below(const WebRequest& request, std::string_view path) {
  return request.path.size() > path.size() + 1 ? request.path.substr(path.size() + 1) : "";
}

std::vector<TraceJson> workloads_in(const std::string& lines) {
  std::vector<TraceJson> found;
  for (const auto line : lines_of(lines)) {
    auto json = TraceJson::parse(line, nullptr, false);
    if (!json.is_object()) continue;
    if (json.contains("workload")) json = TraceJson(json["workload"]);
    if (json.is_object() && json.contains("uuid") && json["uuid"].is_string())
      found.push_back(std::move(json));
  }
  return found;
}

/// An id that nobody can guess.
std::string drawn_id() {
  std::random_device entropy;
  std::string id;
  for (int i = 0; i < 4; ++i) id += fmt::format("{:08x}", entropy());
  return id;
}

/// The name with a part that its content decides.
std::string unique_name(const TraceJson& solution) {
  TraceJson content = solution;
  content.erase("name");
  const auto name = solution.find("name");
  const std::string own =
      name != solution.end() && name->is_string() ? name->get<std::string>() : "solution";
  return own + "_" + sha256_hex(json_text(content)).substr(0, 8);
}

Evaluation uncompilable(const std::string& why) {
  Evaluation evaluation;
  evaluation.verdict = Verdict::compile_error;
  evaluation.stage = Stage::build;
  evaluation.reason = why;
  evaluation.feedback = why;
  return evaluation;
}

class WaitingRequest {
 public:
  explicit WaitingRequest(std::atomic<int>& count) : count_(count) { ++count_; }
  ~WaitingRequest() { --count_; }
  WaitingRequest(const WaitingRequest&) = delete;
  WaitingRequest& operator=(const WaitingRequest&) = delete;

 private:
  std::atomic<int>& count_;
};

}  // namespace

Result<std::unique_ptr<TraceService>> TraceService::open(const Options& options,
                                                         mcp::Workshop& workshop) {
  WW_TRY(auto definitions, torch::find_definitions(options.root));
  std::unique_ptr<TraceService> service(new TraceService(options, workshop));
  for (auto& definition : definitions) {
    auto entry = std::make_unique<Entry>();
    entry->json = Json::parse(definition.text, nullptr, false);
    if (!entry->json.is_object()) continue;
    entry->workloads = workloads_in(definition.workload);
    const std::string name = definition.name;
    entry->definition = std::move(definition);
    service->entries_.emplace(name, std::move(entry));
  }
  return service;
}

std::vector<report::Endpoint> TraceService::endpoints() {
  using Answer = WebAnswer (TraceService::*)(const WebRequest&);
  const auto made = [this](const char* path, std::vector<std::string> methods, std::size_t bytes,
                           bool prefix, Answer answer) {
    report::Endpoint endpoint{path, std::move(methods), bytes,
                              [this, answer](const WebRequest& r) { return (this->*answer)(r); }};
    endpoint.below = prefix;
    endpoint.open = options_.open;
    return endpoint;
  };
  std::vector<report::Endpoint> all = {
      made("/definitions", {"GET"}, 0, true, &TraceService::definitions),
      made("/workloads", {"GET"}, 0, true, &TraceService::workload),
      made("/evaluate", {"POST"}, kMaxSolutionBytes, false, &TraceService::evaluate),
      made("/tasks/batch", {"POST"}, kMaxSolutionBytes, false, &TraceService::tasks),
      made("/tasks", {"GET"}, 0, true, &TraceService::task)};
  all.push_back({"/health", {"GET"}, 0, [this](const WebRequest&) { return health(); }});
  all.back().open = options_.open;
  all.push_back({"/shutdown", {"POST"}, 1024, [](const WebRequest&) {
                   return web_json(403, {{"detail", "this server is not ended over HTTP"}});
                 }});
  all.back().open = options_.open;
  return all;
}

WebAnswer TraceService::definitions(const WebRequest& request) {
  std::string name = path_below(request, "/definitions");
  if (name.empty()) {
    Json list = Json::array();
    for (const auto& [own, entry] : entries_) {
      const auto text = entry->json.find("description");
      list.push_back({{"name", own}, {"description", text == entry->json.end() ? Json() : *text}});
    }
    return web_json(200, list);
  }
  constexpr std::string_view kWorkloads = "/workloads";
  const bool workloads = name.ends_with(kWorkloads);
  if (workloads) name.resize(name.size() - kWorkloads.size());
  const auto found = entries_.find(name);
  if (found == entries_.end()) return not_found("there is no definition '" + name + "'");
  return web_json(200, workloads ? Json(found->second->workloads) : found->second->json);
}

WebAnswer TraceService::workload(const WebRequest& request) {
  const std::string uuid = path_below(request, "/workloads");
  for (const auto& [name, entry] : entries_) {
    for (const Json& workload : entry->workloads) {
      if (workload["uuid"] == uuid) return web_json(200, workload);
    }
  }
  return not_found("there is no workload '" + uuid + "'");
}

/// Made once: the reference runs in the sandbox to find out what it is.
Result<std::shared_ptr<const Task>> TraceService::task_of(Entry& entry, const StopSignal& stop) {
  const std::lock_guard lock(entry.mutex);
  if (entry.task) return entry.task;
  WW_TRY(const auto module, torch::module_of(entry.definition));
  WW_TRY(const auto toml,
         workshop_.describe_module({.name = "definition", .text = module.text}, stop));
  WW_TRY(Task task,
         suite::parse_task(
             {.name = "definition", .where = "task.toml", .toml = toml, .torch = module.text}));
  task.stream = true;  // work that a solution's caller does not wait for is wrong
  entry.task = std::make_shared<const Task>(std::move(task));
  return entry.task;
}

Result<Evaluation> TraceService::judge(Entry& entry, const std::string& text,
                                       const StopSignal& stop) {
  const auto solution = exchange::read_solution(text);
  if (!solution.ok()) return uncompilable(solution.error().message);
  WW_TRY(const auto task, task_of(entry, stop));
  const auto source = exchange::source_of(*solution, *task);
  if (!source.ok()) return uncompilable(source.error().message);
  return workshop_.judge({.task = *task, .source = *source}, stop);
}

WebAnswer TraceService::evaluate(const WebRequest& request) {
  const auto body = Json::parse(request.body, nullptr, false);
  if (!body.is_object() || !body.contains("solution") || !body["solution"].is_object())
    return bad_request("a JSON object with a 'solution' is expected");
  const Json& solution = body["solution"];
  const auto named = solution.find("definition");
  const auto found = named != solution.end() && named->is_string()
                         ? entries_.find(named->get<std::string>())
                         : entries_.end();
  if (found == entries_.end()) return bad_request("the solution's definition does not exist");
  Entry& entry = *found->second;
  Job job{found->first, unique_name(solution), {}, "", nullptr};
  const auto wanted = body.find("workload_uuids");
  const bool all = wanted == body.end() || wanted->is_null();
  if (!all && !wanted->is_array()) return bad_request("'workload_uuids' is a list");
  for (const Json& workload : entry.workloads) {
    if (all || std::find(wanted->begin(), wanted->end(), workload["uuid"]) != wanted->end())
      job.uuids.push_back(workload["uuid"].get<std::string>());
  }
  if (job.uuids.empty()) {
    job.error = "no workload is selected";
  } else {
    const std::string text = json_text(solution);
    job.ticket = queue_.ask(
        {job.definition + "\n" + text, "", ""},
        [this, &entry, text](const StopSignal& stop) { return judge(entry, text, stop); });
    if (!job.ticket) {
      WebAnswer full = web_json(429, {{"detail", "the queue is full; come back later"}});
      full.headers.emplace_back("Retry-After", "5");
      return full;
    }
  }
  const std::string id = drawn_id();
  const std::string name = job.solution;
  const std::lock_guard lock(mutex_);
  if (order_.size() >= kMostJobs) {
    jobs_.erase(order_.front());
    order_.erase(order_.begin());
  }
  order_.push_back(id);
  jobs_.emplace(id, std::move(job));
  return web_json(200, {{"task_id", id}, {"normalized_solution_name", name}});
}

std::optional<TraceService::Job> TraceService::find_job(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = jobs_.find(id);
  return found == jobs_.end() ? std::nullopt : std::optional(found->second);
}

/// One Trace per workload that was asked for.
TraceService::Json TraceService::traces_of(const Job& job, const Evaluation& evaluation) {
  Entry& entry = *entries_.at(job.definition);
  std::shared_ptr<const Task> task;
  {
    const std::lock_guard lock(entry.mutex);
    task = entry.task;
  }
  Json list = Json::array();
  for (const Json& workload : entry.workloads) {
    const auto uuid = workload["uuid"].get<std::string>();
    if (std::find(job.uuids.begin(), job.uuids.end(), uuid) == job.uuids.end()) continue;
    const std::string size = task ? exchange::size_of_workload(*task, uuid) : "";
    list.push_back(Json::parse(exchange::trace_text(job.definition, json_text(workload),
                                                    job.solution, evaluation, size, false),
                               nullptr, false));
  }
  return list;
}

TraceService::Json TraceService::told(const std::string& id, const Job& job, double wait_s) {
  Json answer = {{"task_id", id},
                 {"status", "failed"},
                 {"definition", job.definition},
                 {"solution", job.solution},
                 {"traces", nullptr},
                 {"error", nullptr}};
  if (!job.ticket) {
    answer["error"] = job.error;
    return answer;
  }
  const double patience = waiters_ < kMostWaitingRequests ? wait_s : 0;
  const WaitingRequest waiting(waiters_);
  const auto stand =
      job.ticket->wait(std::chrono::milliseconds(static_cast<std::int64_t>(patience * 1e3)));
  if (stand.state != service::Ticket::State::done) {
    answer["status"] = stand.state == service::Ticket::State::queued ? "pending" : "running";
  } else if (!stand.evaluation) {
    answer["error"] = stand.error;
  } else {
    answer["status"] = "completed";
    answer["traces"] = traces_of(job, *stand.evaluation);
  }
  return answer;
}

WebAnswer TraceService::task(const WebRequest& request) {
  const std::string id = path_below(request, "/tasks");
  double wait_s = 0;
  if (const std::string text = request.parameter("timeout"); !text.empty()) {
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), wait_s);
    if (code != std::errc() || end != text.data() + text.size() ||
        !(wait_s >= 0 && wait_s <= kLongestWaitSeconds))
      return web_json(422, {{"detail", "timeout is a number from 0 to 3600"}});
  }
  const auto job = find_job(id);
  if (!job) return not_found("there is no task '" + id + "'");
  return web_json(200, told(id, *job, wait_s));
}

WebAnswer TraceService::tasks(const WebRequest& request) {
  const auto body = Json::parse(request.body, nullptr, false);
  if (!body.is_object() || !body.contains("task_ids") || !body["task_ids"].is_array() ||
      body["task_ids"].size() > kMostAsked)
    return bad_request("a JSON object with a list 'task_ids' is expected");
  double wait_s = 0;
  if (const auto found = body.find("timeout"); found != body.end() && !found->is_null()) {
    if (!found->is_number()) return bad_request("'timeout' is a number");
    wait_s = std::clamp(found->get<double>(), 0.0, kLongestWaitSeconds);
  }
  std::vector<std::pair<std::string, Job>> jobs;
  for (const Json& id : body["task_ids"]) {
    const auto job = id.is_string() ? find_job(id.get<std::string>()) : std::nullopt;
    if (!job) return not_found("there is no task " + json_text(id));
    jobs.emplace_back(id.get<std::string>(), *job);
  }
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(wait_s);
  Json list = Json::array();
  for (const auto& [id, job] : jobs) {
    const std::chrono::duration<double> left = until - std::chrono::steady_clock::now();
    list.push_back(told(id, job, std::max(0.0, left.count())));
  }
  return web_json(200, list);
}

WebAnswer TraceService::health() {
  const auto figures = queue_.figures();
  const auto device = workshop_.target();
  Json workers = Json::array();
  workers.push_back({{"device", device.ok() ? device->name : "unknown"}, {"healthy", device.ok()}});
  return web_json(200, {{"status", device.ok() ? "ok" : "degraded"},
                        {"workers", workers},
                        {"queue_size", figures.waiting}});
}

}  // namespace warpwright::cli
