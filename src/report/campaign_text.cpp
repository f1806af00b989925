// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "report/campaign.h"

namespace warpwright::report {

namespace {

// The task whose rule asks for one slow algorithm: a library that sorts otherwise is no measure.
constexpr std::string_view kApart = "sort";

/// Averages over five sizes that the paper names, over baselines that it does not show.
struct PaperAverage {
  std::string_view task;
  double speedup;
};
constexpr std::array<PaperAverage, 5> kPaper = {
    {{"transpose", 104}, {"dot", 102}, {"monte_carlo", 179}, {"copy", 89.5}, {"reduce", 73.3}}};

std::string number(double value) {
  if (value < 100) return fmt::format("{:.2f}", value);
  return value < 1000 ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value);
}

std::string time_text(const CampaignTime* time) {
  if (time == nullptr) return "-";
  return (time->estimated ? "~" : "") + number(time->us);
}

std::string gain_text(const std::optional<double>& gain) { return gain ? number(*gain) : "-"; }

/// How many times faster; only times of the same kind can be compared.
std::optional<double> gain(const CampaignTime* slow, const CampaignTime* fast) {
  if (slow == nullptr || fast == nullptr || slow->estimated != fast->estimated) return std::nullopt;
  if (slow->us <= 0 || fast->us <= 0) return std::nullopt;
  return slow->us / fast->us;
}

std::string table_row(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (std::string cell : cells) {
    // What a model or a file is called must not end a cell.
    for (char& c : cell) {
      if (c == '|' || c == '\n') c = ' ';
    }
    line += " " + cell + " |";
  }
  return line + "\n";
}

std::string table_head(const std::vector<std::string>& names) {
  std::string rule = "|";
  for (std::size_t i = 0; i < names.size(); ++i) rule += "---|";
  return table_row(names) + rule + "\n";
}

std::string name_of(const CampaignRun& run) {
  return run.rule_set.empty() ? run.task : run.task + " (" + run.rule_set + ")";
}

struct GeometricMean {
  double sum = 0;
  int count = 0;
  void add(double value) {
    sum += std::log(value);
    ++count;
  }
  [[nodiscard]] std::string text() const {
    return count == 0 ? "-" : fmt::format("{:.3f}", std::exp(sum / count));
  }
};

std::string times_section(const Campaign& campaign) {
  std::string text =
      "## Times\n\nMicroseconds, medians; `~` is an estimate. *first*: the best kernel of the "
      "first round, *final*: of all rounds, both as the run's judge timed them; *kernel*: the "
      "kernel that the benchmark timed beside the rest. Speed-ups are of *kernel*, or of *final* "
      "where the benchmark has none.\n\n";
  text += table_head({"task", "size", "floor", "B0", "B1", "first", "final", "kernel", "free",
                      "library", "eager", "compiled", "over B1", "over eager"});
  std::string task;
  for (const auto& cell : campaign.cells) {
    const CampaignTime* library = cell.of("library");
    text += table_row({cell.task == task ? "" : cell.task, cell.size,
                       cell.floor_us > 0 ? number(cell.floor_us) : "-", time_text(cell.of("b0")),
                       time_text(cell.of("b1")), time_text(cell.of("first")),
                       time_text(cell.of("final")), time_text(cell.of("kernel")),
                       time_text(cell.of(cell.of("free") != nullptr ? "free" : "final free")),
                       time_text(library) + (library ? " " + library->name : ""),
                       time_text(cell.of("eager")), time_text(cell.of("compiled")),
                       gain_text(gain(cell.of("b1"), cell.kernel())),
                       gain_text(gain(cell.of("eager"), cell.kernel()))});
    task = cell.task;
  }
  return text + "\n";
}

std::string rounds_section(const Campaign& campaign) {
  std::size_t most = 0;
  for (const auto& run : campaign.runs) most = std::max(most, run.rounds.size());
  std::string text =
      "## What the rounds added\n\nGeometric mean over the sizes of the best kernel so far, in "
      "microseconds, and how much faster it is than the first round's.\n\n";
  std::vector<std::string> head = {"task", "run", "best"};
  for (std::size_t i = 1; i <= most; ++i) head.push_back(fmt::format("round {}", i));
  head.emplace_back("gain");
  text += table_head(head);
  GeometricMean mean;
  for (const auto& run : campaign.runs) {
    std::vector<std::string> cells = {name_of(run), run.run, run.final_trial};
    std::optional<double> first;
    for (std::size_t i = 0; i < most; ++i) {
      std::optional<double> best;
      if (i < run.rounds.size()) best = run.rounds[i].best_us;
      if (!first) first = best;
      cells.push_back(best ? fmt::format("{} ({:.2f}x)", number(*best), *first / *best) : "-");
    }
    std::optional<double> total;
    if (first && run.rounds.back().best_us) total = *first / *run.rounds.back().best_us;
    cells.push_back(total ? fmt::format("{:.2f}x", *total) : "-");
    if (total) mean.add(*total);
    text += table_row(cells);
  }
  return text + fmt::format("\nGeometric mean of the gains over {} runs: {}.\n\n", mean.count,
                            mean.text());
}

std::string answers_section(const Campaign& campaign) {
  std::string text =
      "## First answers and tokens\n\npass@N: whether any of the first round's N answers was "
      "valid; c/N: how many. Tokens of prompts and answers as the model reported them.\n\n";
  text += table_head({"task", "c/N", "pass@N", "questions", "tokens", "model"});
  int passed = 0, asked = 0, valid = 0;
  for (const auto& run : campaign.runs) {
    passed += run.first_valid > 0 ? 1 : 0;
    asked += run.first_asked;
    valid += run.first_valid;
    const std::string tokens =
        run.tokens > 0 ? std::to_string(run.tokens)
                       : fmt::format("not reported ({} by bytes/4)", run.text_bytes / 4);
    text += table_row({name_of(run), fmt::format("{}/{}", run.first_valid, run.first_asked),
                       run.first_valid > 0 ? "yes" : "no", std::to_string(run.questions), tokens,
                       run.model});
  }
  return text +
         fmt::format("\npass@N: {} of {} runs; {} of {} first answers were valid ({:.0f} %).\n\n",
                     passed, campaign.runs.size(), valid, asked,
                     asked == 0 ? 0.0 : 100.0 * valid / asked);
}

std::string failures_section(const Campaign& campaign) {
  std::map<std::string, FailureCounts> totals;
  std::map<std::string, std::string> where;
  for (const auto& run : campaign.runs) {
    for (const auto& [verdict, counts] : run.failures) {
      FailureCounts& total = totals[verdict];
      total.all += counts.all;
      total.repaired += counts.repaired;
      total.in_vain += counts.in_vain;
      std::string& list = where[verdict];
      list += fmt::format("{}{} {}", list.empty() ? "" : ", ", name_of(run), counts.all);
    }
  }
  std::string text =
      "## Failures\n\nA failure is repaired when a repair that was asked for it is valid; the "
      "search asks for repairs only in rounds without any valid kernel.\n\n";
  if (totals.empty()) return text + "None.\n\n";
  text +=
      table_head({"verdict", "all", "repaired", "repaired in vain", "no repair asked", "where"});
  for (const auto& [verdict, counts] : totals) {
    text +=
        table_row({verdict, std::to_string(counts.all), std::to_string(counts.repaired),
                   std::to_string(counts.in_vain), std::to_string(counts.left()), where[verdict]});
  }
  return text + "\n";
}

std::string means_section(const Campaign& campaign) {
  std::string text = fmt::format(
      "## Speed-ups\n\nGeometric means over pairs of task and size, `{}` apart: its rule asks for "
      "one algorithm that no library uses.\n\n",
      kApart);
  text += table_head({"over", "cells", "mean", "cells below 1.0", fmt::format("`{}`", kApart)});
  std::string slower;
  for (const char* who : {"b0", "b1", "library", "eager", "compiled"}) {
    GeometricMean mean, apart;
    int below = 0;
    for (const auto& cell : campaign.cells) {
      const auto value = gain(cell.of(who), cell.kernel());
      if (!value) continue;
      (cell.task == kApart ? apart : mean).add(*value);
      if (cell.task == kApart || *value >= 1) continue;
      ++below;
      if (std::string_view(who) == "eager") {
        slower += fmt::format("{}{} {} ({:.2f})", slower.empty() ? "" : ", ", cell.task, cell.size,
                              *value);
      }
    }
    text += table_row(
        {who, std::to_string(mean.count), mean.text(), std::to_string(below), apart.text()});
  }
  return text + "\nCells slower than PyTorch eager: " + (slower.empty() ? "none" : slower) +
         ".\n\n";
}

std::string paper_section(const Campaign& campaign) {
  std::string text =
      "## Tasks for which the paper names an average\n\nArithmetic means over the sizes, as the "
      "paper takes them. B0 is our slow baseline; the paper's baselines, and its GPUs, are "
      "others (docs/bench.md), so the two columns do not measure the same thing.\n\n";
  text +=
      table_head({"task", "sizes", "over B0, mean", "lowest", "highest", "the paper's average"});
  for (const auto& [task, paper] : kPaper) {
    std::vector<double> gains;
    for (const auto& cell : campaign.cells) {
      const auto value = cell.task == task ? gain(cell.of("b0"), cell.kernel()) : std::nullopt;
      if (value) gains.push_back(*value);
    }
    double sum = 0;
    for (const double value : gains) sum += value;
    const auto [low, high] = std::minmax_element(gains.begin(), gains.end());
    const bool any = !gains.empty();
    text +=
        table_row({std::string(task), std::to_string(gains.size()),
                   any ? number(sum / static_cast<double>(gains.size())) : "-",
                   any ? number(*low) : "-", any ? number(*high) : "-", fmt::format("{}", paper)});
  }
  return text + "\n";
}

std::string notes_section(const Campaign& campaign) {
  std::string text;
  const auto list = [&](const char* what, const std::vector<std::string>& items) {
    if (items.empty()) return;
    text += what;
    for (const auto& item : items) text += (&item == &items.front() ? " " : ", ") + item;
    text += ".\n";
  };
  list("Bad verdicts in the benchmark:", campaign.troubles);
  list("Older runs of the same tasks, left out:", campaign.left_out);
  for (const auto& run : campaign.runs) {
    if (run.status != "finished") text += fmt::format("Run {} is {}.\n", run.run, run.status);
  }
  return text.empty() ? "" : "## Notes\n\n" + text;
}

}  // namespace

const CampaignTime* CampaignCell::of(const std::string& who) const {
  const auto found = times.find(who);
  return found == times.end() ? nullptr : &found->second;
}

const CampaignTime* CampaignCell::kernel() const {
  const CampaignTime* timed = of("kernel");
  return timed != nullptr ? timed : of("final");
}

std::string campaign_markdown(const Campaign& campaign) {
  std::string text =
      fmt::format("# Campaign: {} runs, {} pairs of task and size\n\n{}.\n\n", campaign.runs.size(),
                  campaign.cells.size(), campaign.device.empty() ? "No device" : campaign.device);
  text += means_section(campaign);
  text += paper_section(campaign);
  text += rounds_section(campaign);
  text += answers_section(campaign);
  text += failures_section(campaign);
  text += times_section(campaign);
  return text + notes_section(campaign);
}

}  // namespace warpwright::report
