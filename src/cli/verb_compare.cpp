// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/files.h"
#include "cli/exit_codes.h"
#include "cli/judging.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/task_named.h"
#include "cli/verbs.h"
#include "core/evaluation_json.h"
#include "suite/load.h"

namespace warpwright::cli {

namespace {

constexpr const char* kBaseline = "baseline";

struct CompareFlags {
  std::string task;
  std::string first;
  std::string second;
  bool json = false;
  std::shared_ptr<SettingFlags> settings;
};

/// Absent: the baseline.
Result<std::optional<std::string>> source_of(const std::string& name) {
  if (name == kBaseline) return std::optional<std::string>();
  WW_TRY(std::string text, read_file(name, std::size_t{1} << 20));
  return std::optional<std::string>(std::move(text));
}

std::string interval_of(const Ratio& ratio) {
  return fmt::format("{:.4f} .. {:.4f}", ratio.low, ratio.high);
}

/// Estimates have none.
std::string interval_of(const SizeComparison& size) {
  return size.source == TimeSource::estimated ? "-" : interval_of(size.ratio);
}

void print_comparison(const CompareFlags& flags, const Evaluation& evaluation) {
  const Comparison& comparison = *evaluation.comparison;
  bool estimated = false;
  std::printf("  %-24s %12s %12s %8s %19s %7s\n", "size", "A us", "B us", "A / B", "interval",
              "A is");
  for (const SizeComparison& size : comparison.sizes) {
    estimated = estimated || size.source == TimeSource::estimated;
    std::printf("  %-24s %12.3f %12.3f %8.4f %19s %7s\n", size.size.c_str(), size.first_us,
                size.second_us, size.ratio.value, interval_of(size).c_str(),
                std::string(name_of(size.order)).c_str());
  }
  const std::string interval = estimated ? "" : " (" + interval_of(comparison.ratio) + ")";
  std::printf("A (%s) is %s%s%s B (%s): A / B = %.4f%s%s, on %s\n", flags.first.c_str(),
              estimated ? "estimated " : "", std::string(name_of(comparison.order)).c_str(),
              comparison.order == Order::same ? " as" : " than", flags.second.c_str(),
              comparison.ratio.value, interval.c_str(),
              estimated ? ", an estimate and no measurement" : "", evaluation.device.c_str());
}

void print_failure(const CompareFlags& flags, const Evaluation& evaluation) {
  const bool second = evaluation.comparison && evaluation.comparison->failed == "second";
  std::printf("%s (%s): %s at stage %s: %s\n%s\n", second ? "B" : "A",
              (second ? flags.second : flags.first).c_str(),
              std::string(name_of(evaluation.verdict)).c_str(),
              std::string(name_of(evaluation.stage)).c_str(), evaluation.reason.c_str(),
              evaluation.feedback.c_str());
}

Result<int> compare(const CompareFlags& flags) {
  WW_TRY(const Settings settings, settings_from(*flags.settings));
  WW_TRY(const Task task, task_named(flags.task));
  WW_TRY(const auto first, source_of(flags.first));
  WW_TRY(const auto second, source_of(flags.second));
  StopSignal stop;
  const InterruptGuard interrupts(stop);
  WW_TRY(const Evaluation evaluation, compare_sources(settings, task, first, second, stop));
  if (flags.json) std::printf("%s\n", evaluation_to_json(evaluation).c_str());
  if (evaluation.verdict == Verdict::harness_error) return Error{evaluation.reason};
  if (evaluation.valid() && !evaluation.comparison) {
    return Error{"the worker judged one kernel only: it is older than comparisons"};
  }
  if (!flags.json && evaluation.valid()) print_comparison(flags, evaluation);
  if (!flags.json && !evaluation.valid()) print_failure(flags, evaluation);
  return static_cast<int>(evaluation.valid() ? kOk : kBad);
}

}  // namespace

void add_compare(CLI::App& verb, Action& action) {
  const auto flags = std::make_shared<CompareFlags>();
  verb.add_option("task", flags->task, "a built-in task's name or a task folder")->required();
  verb.add_option("a", flags->first, "a .cu file, or 'baseline' for the task's own")->required();
  verb.add_option("b", flags->second, "what A is compared with, likewise")->required();
  verb.add_flag("--json", flags->json, "the whole result as JSON (docs/formats.md)");
  flags->settings = add_setting_flags(verb, {"judge.", "torch."});
  verb.callback([flags, &action] {
    action = [flags] {
      const auto code = compare(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace warpwright::cli
