// SPDX-License-Identifier: Apache-2.0
#include "cli/examples.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "core/task_json.h"
#include "retrieval/nearest.h"
#include "store/archive.h"
#include "suite/load.h"

namespace warpwright::cli {

namespace {

namespace fs = std::filesystem;
using retrieval::Example;

/// The value of "// NAME: VALUE" in the head of a kernel file (docs/bench.md).
std::string head_value(std::string_view text, std::string_view name) {
  const std::string begin = fmt::format("// {}: ", name);
  for (const auto line : lines_of(text.substr(0, text.find("\n\n")))) {
    if (line.starts_with(begin)) return std::string(trimmed(line.substr(begin.size())));
  }
  return {};
}

Status add_folder(std::vector<Example>& all, const fs::path& folder) {
  std::error_code code;
  std::vector<fs::path> files;
  for (fs::recursive_directory_iterator it(folder, code), end; !code && it != end;
       it.increment(code)) {
    if (it->path().extension() == ".cu") files.push_back(it->path());
  }
  if (code) return Error{"search.examples_from: cannot read '" + folder.string() + "'"};
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    WW_TRY(const std::string text, read_file(file, std::size_t{1} << 20));
    std::string name = head_value(text, "task");
    if (name.empty()) name = file.stem().string();
    auto task = suite::load_task(name);
    if (!task.ok()) continue;  // of a task that is not ours: nothing to compare with
    std::string reached = head_value(text, "median us");
    const std::string device = head_value(text, "device");
    if (!reached.empty())
      reached = "these times in us: " + reached + (device.empty() ? "" : " on " + device);
    const auto end = head_value(text, "sha256").empty() ? std::string::npos : text.find("\n\n");
    all.push_back({std::move(*task), end == std::string::npos ? text : text.substr(end + 2),
                   file.string(), reached, 0});
  }
  return {};
}

Status add_archive(std::vector<Example>& all, const fs::path& path) {
  const SystemClock clock;
  WW_TRY(const auto archive, store::Archive::open_read_only(path, clock));
  WW_TRY(const auto runs, archive->runs());
  for (const auto& run : runs) {
    if (run.best_trial.empty()) continue;
    WW_TRY(const auto trials, archive->trials(run.id));
    for (const auto& trial : trials) {
      if (trial.prompt.trial != run.best_trial || !trial.evaluation || !trial.candidate) continue;
      const auto task = task_from_json(run.task_json);
      if (!task.ok() || !trial.evaluation->valid()) continue;
      const double gain = speedup(*trial.evaluation).value_or(0);
      std::string reached;
      if (gain > 0) reached = fmt::format("{:.2f} times the speed of its baseline", gain);
      if (const auto share = roofline_share(*trial.evaluation)) {
        reached +=
            fmt::format("{}{:.0f} % of the roofline", reached.empty() ? "" : ", ", 100 * *share);
      }
      if (!reached.empty()) reached += " on " + trial.evaluation->device;
      all.push_back({*task, trial.candidate->source,
                     "run " + run.id + " of " + path.filename().string(), reached, gain});
    }
  }
  return {};
}

}  // namespace

Result<std::string> examples_for(const Settings& settings, const Task& task) {
  const auto count = settings.integer("search.examples").value_or(0);
  if (count <= 0) return std::string();
  const std::string& places = settings.text("search.examples_from");
  if (places.empty()) {
    return Error{
        "search.examples: name archives and folders to take them from, comma-separated, "
        "with --examples-from"};
  }
  std::vector<Example> all;
  std::size_t from = 0;
  while (from <= places.size()) {
    const auto end = std::min(places.find(',', from), places.size());
    const fs::path place = std::string(trimmed(places.substr(from, end - from)));
    from = end + 1;
    if (place.empty()) continue;
    std::error_code ignored;
    if (fs::is_directory(place, ignored)) {
      WW_CHECK(add_folder(all, place));
    } else {
      WW_CHECK(add_archive(all, place));
    }
  }
  return retrieval::examples_text(retrieval::nearest(task, all, static_cast<std::size_t>(count),
                                                     settings.flag("search.examples_same_task")));
}

}  // namespace warpwright::cli
