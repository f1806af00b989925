// SPDX-License-Identifier: Apache-2.0
#include "evaluate/counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/files.h"
#include "base/text.h"
#include "evaluate/checking_tools.h"
#include "evaluate/replay_only.h"

namespace warpwright::evaluate {

namespace {

constexpr const char* kTime = "gpu__time_duration.sum";
constexpr const char* kBytes = "dram__bytes.sum";
constexpr const char* kDram = "dram__throughput.avg.pct_of_peak_sustained_elapsed";
constexpr const char* kSm = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
constexpr const char* kWarps = "sm__warps_active.avg.pct_of_peak_sustained_active";
constexpr std::size_t kMostColumns = 512;
constexpr std::size_t kMostLaunches = 64;
constexpr std::size_t kToldStalls = 3;
constexpr double kLongestToolSeconds = 60;

/// Why a warp waits, by the profiler's word and ours.
struct StallRow {
  std::string_view name;
  std::string_view words;
};

constexpr std::array<StallRow, 12> kStalls = {{
    {"long_scoreboard", "global or local memory"},
    {"short_scoreboard", "shared memory or special functions"},
    {"barrier", "a barrier"},
    {"membar", "a memory fence"},
    {"mio_throttle", "the queue of shared-memory instructions"},
    {"lg_throttle", "the queue of global-memory instructions"},
    {"math_pipe_throttle", "a busy arithmetic unit"},
    {"wait", "the fixed latency of the previous instruction"},
    {"not_selected", "other warps that were ready, too"},
    {"no_instruction", "instructions that are not in the cache"},
    {"drain", "stores at the end"},
    {"branch_resolving", "a branch"},
}};

std::string stall_metric(std::string_view name) {
  return fmt::format("smsp__average_warps_issue_stalled_{}_per_issue_active.ratio", name);
}

std::string all_metrics() {
  std::string list;
  for (const char* metric : {kTime, kBytes, kDram, kSm, kWarps}) {
    list += (list.empty() ? "" : ",") + std::string(metric);
  }
  for (const StallRow& row : kStalls) list += "," + stall_metric(row.name);
  return list;
}

/// One line of CSV; quotes are doubled inside of quotes.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += line[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      if (cells.size() == kMostColumns) break;
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

/// "1,234.5"
std::optional<double> number_in(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ','), text.end());
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

double value_of(const LaunchCounters& launch, const std::string& metric) {
  const auto found = launch.values.find(metric);
  return found == launch.values.end() ? 0 : found->second;
}

std::string stalls_of(const LaunchCounters& launch) {
  std::vector<std::pair<double, std::string_view>> stalls;
  for (const StallRow& row : kStalls) {
    const double value = value_of(launch, stall_metric(row.name));
    if (value > 0) stalls.emplace_back(value, row.words);
  }
  std::stable_sort(stalls.begin(), stalls.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (std::size_t i = 0; i < std::min(stalls.size(), kToldStalls); ++i) {
    text += fmt::format("{}{} ({:.1f} warps)", text.empty() ? "" : ", ", stalls[i].second,
                        stalls[i].first);
  }
  return text;
}

Result<std::vector<LaunchCounters>> measure(const Prepared& prepared, const Context& context,
                                            const TaskSize& size) {
  const auto tool = find_cuda_tool("ncu");
  if (!tool) return Error{"there is no ncu in PATH, CUDA_HOME or /usr/local/cuda"};
  const auto folder = absolute_path(context.scratch / "counters");
  WW_TRY(auto program, replay_command(prepared, context, folder));
  program.insert(program.end(), {"--size", size.label});
  const auto log = folder / "ncu.csv";
  const WatchedReplay replay{
      .tool = *tool,
      .program = std::move(program),
      .folder = folder,
      .limit_s = std::clamp(0.5 * context.deadline.remaining_s(), 1.0, kLongestToolSeconds)};
  WW_TRY(const WatchedRun run,
         run_watched(replay,
                     {"--csv", "--page", "raw", "--print-units", "base", "--target-processes",
                      "application-only", "--launch-count", std::to_string(kMostLaunches),
                      "--metrics", all_metrics(), "--log-file", log.string(), "-f"},
                     log, context.stop));
  if (run.exit.timed_out) return Error{"ncu did not end in time"};
  if (!run.log) return Error{"ncu left no report" + last_words(run.exit)};
  return parse_ncu(*run.log + "\n" + run.exit.err);
}

}  // namespace

Result<std::vector<LaunchCounters>> parse_ncu(std::string_view text) {
  if (text.find("ERR_NVGPUCTRPERM") != std::string_view::npos) {
    return Error{
        "the driver does not let this user read performance counters (ERR_NVGPUCTRPERM); an "
        "administrator can allow it with the driver option NVreg_RestrictProfilingToAdminUsers=0"};
  }
  std::vector<std::string> columns;
  std::vector<LaunchCounters> launches;
  for (const std::string_view line : lines_of(text)) {
    if (columns.empty() && line.starts_with("\"ID\"")) columns = cells_of(line);
    if (columns.empty() || !line.starts_with('"') || launches.size() == kMostLaunches) continue;
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() != columns.size() || !number_in(cells.front())) continue;  // units have no ID
    LaunchCounters& launch = launches.emplace_back();
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (columns[i] == "Kernel Name") launch.kernel = shortened(clean_utf8(cells[i]), 200);
      const auto value = number_in(cells[i]);
      if (value && columns[i].find("__") != std::string::npos) launch.values[columns[i]] = *value;
    }
  }
  if (launches.empty()) return Error{"ncu's report holds no launch"};
  return launches;
}

std::vector<Finding> findings_of(const std::vector<LaunchCounters>& launches) {
  if (launches.empty()) return {};
  const LaunchCounters& longest = *std::max_element(
      launches.begin(), launches.end(), [](const LaunchCounters& a, const LaunchCounters& b) {
        return value_of(a, kTime) < value_of(b, kTime);
      });
  const std::string name = longest.kernel.substr(0, longest.kernel.find('('));
  std::vector<Finding> findings = {
      {"counters", 0,
       fmt::format(
           "kernel {}: {:.2f} MB through device memory at {:.0f} % of its peak, SMs {:.0f} % "
           "busy, {:.0f} % of the possible warps active",
           name, value_of(longest, kBytes) * 1e-6, value_of(longest, kDram), value_of(longest, kSm),
           value_of(longest, kWarps))}};
  if (const std::string stalls = stalls_of(longest); !stalls.empty()) {
    findings.push_back({"stalls", 0, "kernel " + name + ": warps wait mostly for " + stalls});
  }
  return findings;
}

void note_counters(const Prepared& prepared, Context& context) {
  if (!prepared.target.is_cuda || prepared.timed.empty()) {
    note(context, "no performance counters: they are a GPU's");
    return;
  }
  const PartTimer timer(context, "counters");
  const auto launches = measure(prepared, context, *prepared.timed.back());
  if (!launches.ok()) return note(context, "no performance counters: " + launches.error().message);
  for (Finding& finding : findings_of(*launches)) {
    context.notes.findings.push_back(std::move(finding));
  }
}

}  // namespace warpwright::evaluate
