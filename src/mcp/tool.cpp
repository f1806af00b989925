// SPDX-License-Identifier: Apache-2.0
// What all tools share: arguments, sources, work that takes long.
#include "mcp/tool.h"

#include <fmt/format.h>

#include "mcp/schema.h"
#include "suite/load.h"

namespace warpwright::mcp {

namespace {

// Clients give up on a call after a minute; a model should hear from us before that.
constexpr double kUsualWaitSeconds = 25;
constexpr std::chrono::milliseconds kGlance{200};
constexpr double kReportEverySeconds = 1;

bool has_text(const Json& arguments, const char* key) {
  return arguments.contains(key) && arguments[key].is_string();
}

}  // namespace

const Tool* find_tool(std::string_view name) {
  for (const Tool& tool : tools()) {
    if (tool.name == name) return &tool;
  }
  return nullptr;
}

Json tool_json(const Tool& tool) {
  return {{"name", tool.name},
          {"title", tool.title},
          {"description", tool.description},
          {"inputSchema", tool.input()},
          {"outputSchema", tool.output()},
          {"annotations",
           {{"title", tool.title},
            {"readOnlyHint", tool.effect == Effect::reads},
            {"destructiveHint", tool.effect == Effect::ends},
            {"idempotentHint", tool.effect == Effect::reads || tool.effect == Effect::ends},
            {"openWorldHint", tool.effect == Effect::spends}}}};
}

ToolAnswer call_tool(const Tool& tool, ToolBox& box, const Json& arguments,
                     const CallScope& scope) {
  return guarded([&] {
    const std::string wrong = schema_objection(tool.input(), arguments);
    if (!wrong.empty()) {
      return tool_failure(fmt::format("{}: {}", tool.name, wrong));
    }
    return tool.handle(box, arguments, scope);
  });
}

Result<Task> task_of(const ToolBox& box, const Json& arguments) {
  const auto name = arguments["task"].get<std::string>();
  if (name.find('/') != name.npos) return box.folders.task(name);
  auto built_in = suite::load_embedded_task(name);
  if (built_in.ok() || box.folders.empty()) return built_in;
  auto own = box.folders.task(name);
  if (own.ok()) return own;
  return Error{built_in.error().message + ". As a folder: " + own.error().message};
}

Result<std::string> source_of(const ToolBox& box, const Json& arguments, const char* text_key,
                              const char* file_key) {
  const bool text = has_text(arguments, text_key);
  if (text == has_text(arguments, file_key)) {
    return Error{
        fmt::format("give either '{}' (the CUDA source) or '{}' (a path)", text_key, file_key)};
  }
  if (text) return arguments[text_key].get<std::string>();
  return box.folders.read(arguments[file_key].get<std::string>());
}

ToolAnswer as_job(ToolBox& box, const Json& arguments, const CallScope& scope,
                  const std::string& what, Job::Work work) {
  std::shared_ptr<Job> job;
  if (arguments.contains("job")) {
    job = box.jobs.find(arguments["job"].get<std::string>());
    if (!job) return tool_failure("there is no such job; old ones are forgotten");
  } else {
    job = box.jobs.start(std::move(work));
    if (!job) {
      return tool_failure(
          "busy: as many jobs as this server does at a time are under way; wait "
          "for one with wait_for_job, then call again");
    }
  }
  const double wait_s = arguments.value("wait_s", kUsualWaitSeconds);
  const auto start = std::chrono::steady_clock::now();
  double reported = 0;
  for (;;) {
    if (auto answer = job->wait(kGlance)) {
      if (arguments.value("complete", false) && answer->whole) answer = ToolAnswer(*answer->whole);
      // Under its name it can be fetched again, so a client that gave up loses nothing.
      if (!answer->is_error) answer->data["job"] = job->name();
      return *answer;
    }
    if (scope.stop.requested()) {
      job->cancel();
      return tool_failure("cancelled");
    }
    const double waited =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (waited >= wait_s) break;
    if (scope.progress && waited >= reported + kReportEverySeconds) {
      reported = waited;
      scope.progress(waited, 0, fmt::format("{}, {:.0f} s", what, job->elapsed_s()));
    }
  }
  ToolAnswer answer;
  answer.data = {{"state", "running"}, {"job", job->name()}};
  answer.text = fmt::format("Still at work ({:.0f} s). Call wait_for_job with job \"{}\".",
                            job->elapsed_s(), job->name());
  return answer;
}

ToolAnswer wait_for_job(ToolBox& box, const Json& arguments, const CallScope& scope) {
  return as_job(box, arguments, scope, "waiting", {});
}

ToolAnswer cancel_job(ToolBox& box, const Json& arguments, const CallScope&) {
  const auto job = box.jobs.find(arguments["job"].get<std::string>());
  if (!job) return tool_failure("there is no such job; old ones are forgotten");
  const bool done = job->done();
  job->cancel();
  return {{{"job", job->name()}, {"state", done ? "done" : "cancelled"}},
          done ? "The job had ended already." : "The job is told to end."};
}

}  // namespace warpwright::mcp
