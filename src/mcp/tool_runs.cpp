// SPDX-License-Identifier: Apache-2.0
// Tools that read the archive: runs, trials, kernels.
#include <algorithm>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/text.h"
#include "mcp/runs.h"
#include "mcp/summary.h"
#include "mcp/tool.h"
#include "report/archive_json.h"

namespace warpwright::mcp {

namespace {

constexpr int kUsualRuns = 20;
constexpr std::size_t kLargestInlineFile = std::size_t{256} << 10;

Json trial_row(const store::TrialRecord& trial) {
  Json row = {{"trial", trial.prompt.trial},
              {"kind", trial.prompt.kind},
              {"state", trial.evaluation ? "judged"
                        : trial.reply    ? "answered"
                                         : "open"}};
  if (trial.evaluation) {
    row["verdict"] = name_of(trial.evaluation->verdict);
    if (const auto score = score_us(*trial.evaluation)) row["score_us"] = *score;
    if (const auto gain = speedup(*trial.evaluation)) row["speedup"] = *gain;
  }
  return row;
}

std::string trial_line(const Json& row, const std::string& best) {
  std::string line = fmt::format("  {} {:<14} {:<12}", row["trial"] == best ? "*" : " ",
                                 row["trial"].get<std::string>(), row["kind"].get<std::string>());
  line += row.value("verdict", row["state"].get<std::string>());
  if (row.contains("score_us")) line += fmt::format("  {:.3f} us", row["score_us"].get<double>());
  if (row.contains("speedup")) line += fmt::format("  x{:.2f}", row["speedup"].get<double>());
  return line + "\n";
}

Result<ToolAnswer> listed_runs(ToolBox& box, const Json& arguments) {
  WW_TRY(const auto runs, all_runs(box.workshop.archive()));
  const auto limit = static_cast<std::size_t>(arguments.value("limit", kUsualRuns));
  ToolAnswer answer;
  answer.data = {{"runs", Json::array()}, {"total", runs.size()}};
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    if (answer.data["runs"].size() >= limit) break;
    answer.data["runs"].push_back(report::run_json(*run));
    answer.text += fmt::format("{:<20} {:<9} {:<28} best {}\n", run->id, name_of(run->status),
                               run->model, run->best_trial.empty() ? "-" : run->best_trial);
  }
  if (runs.empty()) answer.text = "No runs yet. Start one with start_search.\n";
  return answer;
}

Result<ToolAnswer> shown_run(ToolBox& box, const Json& arguments) {
  WW_TRY(const RunStory story, run_story(box.workshop.archive(), arguments["run"]));
  ToolAnswer answer;
  answer.data = report::run_json(story.run);
  answer.data["trials"] = Json::array();
  answer.text = fmt::format("Run {}: {}{}{}\n", story.run.id, name_of(story.run.status),
                            story.run.ending.empty() ? "" : ", ", story.run.ending);
  for (const auto& trial : story.trials) {
    answer.data["trials"].push_back(trial_row(trial));
    answer.text += trial_line(answer.data["trials"].back(), story.run.best_trial);
  }
  return answer;
}

Result<ToolAnswer> fetched_kernel(ToolBox& box, const Json& arguments) {
  WW_TRY(const RunStory story, run_story(box.workshop.archive(), arguments["run"]));
  WW_TRY(const auto* trial, trial_named(story, arguments.value("trial", std::string())));
  if (!trial->candidate || trial->candidate->source.empty()) {
    return Error{"trial '" + trial->prompt.trial + "' has no source"};
  }
  ToolAnswer answer;
  if (trial->evaluation) {
    answer = evaluation_answer(*trial->evaluation, arguments.value("complete", false));
  } else {
    answer.data = {{"state", "open"}};
    answer.text = "Not judged yet.\n";
  }
  answer.data["run"] = story.run.id;
  answer.data["trial"] = trial->prompt.trial;
  answer.data["source"] = trial->candidate->source;
  answer.text = "Trial " + trial->prompt.trial + " of run " + story.run.id + ". " + answer.text +
                "\n```cuda\n" + trial->candidate->source + "```\n";
  return answer;
}

Result<ToolAnswer> exported_kernel(ToolBox& box, const Json& arguments) {
  WW_TRY(const auto files, box.workshop.exported(arguments["run"].get<std::string>(),
                                                 arguments.value("trial", std::string())));
  ToolAnswer answer;
  answer.data["files"] = Json::array();
  std::string folder;
  if (arguments.contains("folder")) {
    WW_TRY(folder, box.folders.make(arguments["folder"].get<std::string>(), files));
    answer.data["folder"] = folder;
    answer.text = "Wrote to " + folder + ":\n";
  } else {
    answer.text = "Files (name a folder to have them written):\n";
  }
  for (const auto& [name, content] : files) {
    Json row = {{"name", name}, {"bytes", content.size()}};
    // Binary inputs of the test are of use on a disk only.
    const bool is_text = clean_utf8(content) == content && content.size() <= kLargestInlineFile;
    if (folder.empty() && is_text) row["text"] = content;
    answer.text += fmt::format("  {} ({} bytes)\n", name, content.size());
    answer.data["files"].push_back(std::move(row));
  }
  if (folder.empty() && files.contains("kernel.cu")) {
    answer.text += "\n```cuda\n" + files.at("kernel.cu") + "```\n";
  }
  return answer;
}

ToolAnswer ended(Result<ToolAnswer> result) {
  return result.ok() ? std::move(result).value() : tool_failure(result.error().message);
}

}  // namespace

ToolAnswer list_runs(ToolBox& box, const Json& arguments, const CallScope&) {
  return ended(listed_runs(box, arguments));
}
ToolAnswer show_run(ToolBox& box, const Json& arguments, const CallScope&) {
  return ended(shown_run(box, arguments));
}
ToolAnswer fetch_kernel(ToolBox& box, const Json& arguments, const CallScope&) {
  return ended(fetched_kernel(box, arguments));
}
ToolAnswer export_kernel(ToolBox& box, const Json& arguments, const CallScope&) {
  return ended(exported_kernel(box, arguments));
}

}  // namespace warpwright::mcp
