// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <set>

#include "bench/board.h"

namespace warpwright::bench {

namespace {

constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Warpwright benchmark</title>
<style>
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em; }
table { border-collapse: collapse; margin: .5em 0 1.5em; }
th, td { padding: .2em .7em; text-align: right; border-bottom: 1px solid #ddd; white-space: nowrap; }
th:first-child, td:first-child, td.text, th.text { text-align: left; }
small { color: #666; }
</style></head><body>
<h1>Warpwright benchmark</h1>
)";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

/// Who was timed for this task, in order of first appearance.
std::vector<std::string> names_of(const Board& board, const std::string& task) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const Row& row : board.rows) {
    if (row.task != task) continue;
    for (const Timed& timed : row.times) {
      if (seen.insert(timed.name).second) names.push_back(timed.name);
    }
  }
  return names;
}

std::string cell(const Board& board, const Row& row, const std::string& name) {
  for (const Timed& timed : row.times) {
    if (timed.name != name) continue;
    std::string text = fmt::format("<td title=\"{}\">", escaped(timed.note));
    text += fmt::format("{}{:.2f}<br><small>{:.2f} to {:.2f}, n {}",
                        timed.source == TimeSource::estimated ? "estimate " : "", timed.median_us,
                        timed.low_us, timed.high_us, timed.samples);
    if (const auto share = share_of_ceiling(board, row, timed)) {
      text += fmt::format("; {:.0f}%", 100 * *share);
    }
    if (!timed.lane.empty()) text += "; " + escaped(timed.lane);
    return text + "</small></td>";
  }
  return "<td>-</td>";
}

std::string task_table(const Board& board, const std::string& task) {
  const auto names = names_of(board, task);
  std::string text = fmt::format(
      "<h2 id=\"{0}\">{0}</h2>\n<table><tr><th>size</th>"
      "<th class=\"text\">regime</th><th>floor us</th>",
      escaped(task));
  for (const auto& name : names) text += "<th>" + escaped(name) + "</th>";
  text += "</tr>\n";
  for (const Row& row : board.rows) {
    if (row.task != task) continue;
    text += fmt::format("<tr><td>{}</td><td class=\"text\">{}</td><td>{:.2f}</td>",
                        escaped(row.size), profile::name_of(row.roof.regime), row.roof.floor_us);
    for (const auto& name : names) text += cell(board, row, name);
    text += "</tr>\n";
  }
  return text + "</table>\n";
}

std::string means_table(const Board& board) {
  if (board.means.empty()) return "";
  std::string text =
      "<h2>Geometric means</h2>\n<table><tr><th>faster</th><th class=\"text\">than</th>"
      "<th>times</th><th>tasks</th><th>sizes</th><th>without launch-bound sizes</th></tr>\n";
  for (const Mean& mean : board.means) {
    text += fmt::format(
        "<tr><td>{}</td><td class=\"text\">{}</td><td>{:.2f}</td><td>{}</td><td>{}</td><td>{}</td>"
        "</tr>\n",
        name_of(mean.fast), name_of(mean.slow), mean.all, mean.tasks, mean.cells,
        mean.busy > 0 ? fmt::format("{:.2f} ({} tasks)", mean.busy, mean.busy_tasks) : "-");
  }
  return text + "</table>\n";
}

std::string troubles_list(const Board& board) {
  std::string text;
  for (const Trouble& trouble : board.troubles) {
    text += fmt::format("<li>{}: {}: {}</li>\n", escaped(trouble.job), escaped(trouble.verdict),
                        escaped(trouble.reason));
  }
  for (const std::string& job : board.missing) {
    text += fmt::format("<li>{}: no result yet</li>\n", escaped(job));
  }
  return text.empty() ? "" : "<h2>Without a time</h2>\n<ul>\n" + text + "</ul>\n";
}

}  // namespace

std::string board_html(const Board& board) {
  std::string text(kHead);
  text += fmt::format(
      "<p>{}. Ceilings ({}): {:.0f} GB/s, {:.1f} TFLOP/s fp32{}.</p>\n<p>Medians in microseconds "
      "with a cold L2; below each its 95% interval, the number of samples and the share of the "
      "ceiling (for launch-bound sizes: of an empty launch).</p>\n",
      escaped(board.device.empty() ? "No results yet" : board.device), board.ceilings.source,
      board.ceilings.memory_gb_per_s, board.ceilings.fp32_tflops,
      board.ceilings.launch_us > 0
          ? fmt::format(", an empty launch {:.2f} us", board.ceilings.launch_us)
          : "");
  text += means_table(board);
  std::string task;
  for (const Row& row : board.rows) {
    if (row.task == task) continue;
    task = row.task;
    text += task_table(board, task);
  }
  return text + troubles_list(board) + "</body></html>\n";
}

}  // namespace warpwright::bench
