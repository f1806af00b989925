// SPDX-License-Identifier: Apache-2.0
#include "mcp/resources.h"

#include <algorithm>
#include <array>

#include "base/embedded.h"
#include "core/json_reader.h"
#include "mcp/runs.h"
#include "mcp/summary.h"
#include "report/archive_json.h"
#include "suite/listing.h"
#include "suite/load.h"

namespace warpwright {
std::span<const EmbeddedFile> documentation_files();
}

namespace warpwright::mcp {

namespace {

constexpr std::size_t kListedRuns = 50;
constexpr std::string_view kScheme = "warpwright://";

/// "timing" of "docs/timing.md".
std::string page_name(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);
  return std::string(path.substr(0, path.rfind('.')));
}

/// The page's first heading.
std::string page_title(std::string_view text) {
  const auto start = std::min(text.find("# "), text.size());
  const auto end = std::min(text.find('\n', start), text.size());
  return std::string(text.substr(start, end - start)).substr(start < text.size() ? 2 : 0);
}

Json listed(const std::string& path, const std::string& name, const std::string& title,
            const char* type) {
  return {
      {"uri", std::string(kScheme) + path}, {"name", name}, {"title", title}, {"mimeType", type}};
}

Json content(const std::string& uri, const char* type, const std::string& text) {
  return {{"uri", uri}, {"mimeType", type}, {"text", text}};
}

Result<Json> read_docs(ToolBox&, const std::string& uri, const std::string& name) {
  for (const auto& file : documentation_files()) {
    if (page_name(file.path) == name) {
      return content(uri, "text/markdown", std::string(file.content));
    }
  }
  return Error{"there is no page '" + name + "'; resources/list names them"};
}

Result<Json> read_task(ToolBox&, const std::string& uri, const std::string& name) {
  WW_TRY(const Task task, suite::load_embedded_task(name));
  return content(uri, "text/plain",
                 task.title + "\n\n" + description_for_model(task) + "\n" + signature_of(task) +
                     "\n\nThe baseline:\n\n" + task.baseline_source);
}

Result<Json> read_run(ToolBox& box, const std::string& uri, const std::string& name) {
  WW_TRY(const RunStory story, run_story(box.workshop.archive(), name));
  Json document = report::run_json(story.run);
  document["trials"] = Json::array();
  for (const auto& trial : story.trials) {
    Json row = report::trial_json(trial);
    if (trial.evaluation) row["evaluation"] = evaluation_for_model(*trial.evaluation);
    document["trials"].push_back(std::move(row));
  }
  return content(uri, "application/json", dump_json(document, 1));
}

Result<Json> read_kernel(ToolBox& box, const std::string& uri, const std::string& name) {
  const auto slash = name.rfind('/');
  if (slash == name.npos) return Error{"a kernel's address ends in RUN/TRIAL"};
  WW_TRY(const RunStory story, run_story(box.workshop.archive(), name.substr(0, slash)));
  WW_TRY(const auto* trial, trial_named(story, name.substr(slash + 1)));
  if (!trial->candidate) return Error{"the trial has no source"};
  return content(uri, "text/x-cuda", trial->candidate->source);
}

struct Kind {
  std::string_view prefix;
  const char* form;
  const char* name;
  const char* description;
  const char* type;
  Result<Json> (*read)(ToolBox& box, const std::string& uri, const std::string& name);
};

constexpr auto kKinds = std::to_array<Kind>({
    {"docs/", "warpwright://docs/{page}", "documentation", "a page of the documentation",
     "text/markdown", read_docs},
    {"tasks/", "warpwright://tasks/{name}", "task", "a built-in task, as a model is told of it",
     "text/plain", read_task},
    {"runs/", "warpwright://runs/{run}", "run", "a search with its trials and verdicts",
     "application/json", read_run},
    {"kernels/", "warpwright://kernels/{run}/{trial}", "kernel",
     "the source of a trial; the trial may be best", "text/x-cuda", read_kernel},
});

}  // namespace

Json resource_list(ToolBox& box) {
  Json list = Json::array();
  for (const auto& file : documentation_files()) {
    const std::string name = page_name(file.path);
    list.push_back(listed("docs/" + name, name, page_title(file.content), "text/markdown"));
  }
  if (const auto rows = suite::task_listing(); rows.ok()) {
    for (const auto& row : *rows) {
      list.push_back(listed("tasks/" + row.name, row.name, row.title, "text/plain"));
    }
  }
  if (const auto runs = all_runs(box.workshop.archive()); runs.ok()) {
    std::size_t count = 0;
    for (auto run = runs->rbegin(); run != runs->rend() && count < kListedRuns; ++run, ++count) {
      list.push_back(
          listed("runs/" + run->id, run->id, "a search for " + run->task, "application/json"));
      if (run->best_trial.empty()) continue;
      list.push_back(listed("kernels/" + run->id + "/best", run->id + " best",
                            "the best kernel of " + run->id, "text/x-cuda"));
    }
  }
  return list;
}

Json resource_templates() {
  Json list = Json::array();
  for (const Kind& kind : kKinds) {
    list.push_back({{"uriTemplate", kind.form},
                    {"name", kind.name},
                    {"description", kind.description},
                    {"mimeType", kind.type}});
  }
  return list;
}

Result<Json> read_resource(ToolBox& box, const std::string& uri) {
  if (uri.starts_with(kScheme)) {
    const std::string path = uri.substr(kScheme.size());
    for (const Kind& kind : kKinds) {
      if (path.starts_with(kind.prefix)) {
        return kind.read(box, uri, path.substr(kind.prefix.size()));
      }
    }
  }
  return Error{"there is no such resource; resources/templates/list has the forms"};
}

}  // namespace warpwright::mcp
