// SPDX-License-Identifier: Apache-2.0
// runs scaling: what more answers bring, in turn or side by side.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/exit_codes.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "core/json_reader.h"
#include "report/scaling.h"

namespace warpwright::cli {

namespace {

using ScalingJson = nlohmann::json;
using report::Scaling;

struct ScalingFlags {
  std::string archive;
  std::vector<std::string> runs;
  bool json = false;
};

/// The mean over the runs that have a k-th value, and how many those are.
ScalingJson mean_json(const std::vector<Scaling>& all, std::vector<double> Scaling::*curve) {
  ScalingJson rows = ScalingJson::array();
  for (std::size_t k = 0;; ++k) {
    double sum = 0;
    int count = 0;
    for (const Scaling& one : all) {
      if ((one.*curve).size() <= k) continue;
      sum += (one.*curve)[k];
      ++count;
    }
    if (count == 0) return rows;
    rows.push_back({{"k", k + 1}, {"mean", sum / count}, {"runs", count}});
  }
}

ScalingJson scaling_json(const std::vector<Scaling>& all) {
  ScalingJson runs = ScalingJson::array();
  for (const Scaling& one : all) {
    runs.push_back({{"run", one.run},
                    {"task", one.task},
                    {"strategy", one.strategy},
                    {"answers", one.answers},
                    {"independent", one.independent},
                    {"parallel", one.parallel},
                    {"serial", one.serial},
                    {"turns", one.turns}});
  }
  return {{"format", 1},
          {"runs", runs},
          {"mean",
           {{"parallel", mean_json(all, &Scaling::parallel)},
            {"serial", mean_json(all, &Scaling::serial)},
            {"turns", mean_json(all, &Scaling::turns)}}}};
}

void print_curve(const char* name, const std::vector<double>& curve) {
  std::string line;
  for (const double value : curve) line += fmt::format(" {:6.3f}", value);
  std::printf("  %-9s%s\n", name, line.c_str());
}

void print_scaling(const std::vector<Scaling>& all) {
  std::printf(
      "Speed-up by number of answers k = 1, 2, ... (0 = none valid)\n"
      "  parallel: expected best of k independent answers; serial: best of the first k of the "
      "run;\n"
      "  turns: mean best of chains after k turns\n");
  for (const Scaling& one : all) {
    std::printf("%s: %s, strategy %s, %zu answers, %zu independent\n", one.run.c_str(),
                one.task.c_str(), one.strategy.c_str(), one.answers, one.independent);
    print_curve("parallel", one.parallel);
    print_curve("serial", one.serial);
    print_curve("turns", one.turns);
  }
}

Result<int> show_scaling(const ScalingFlags& flags) {
  const SystemClock clock;
  WW_TRY(const auto archive, store::Archive::open_read_only(archive_path(flags.archive), clock));
  std::vector<store::RunRecord> runs;
  for (const std::string& name : flags.runs) {
    WW_TRY(auto run, archive->find_run(name));
    runs.push_back(std::move(run));
  }
  if (flags.runs.empty()) {
    WW_TRY(runs, archive->runs());
  }
  std::vector<Scaling> all;
  for (const store::RunRecord& run : runs) {
    WW_TRY(const auto trials, archive->trials(run.id));
    Scaling scaling = report::scaling_of(run, trials);
    if (scaling.answers > 0) all.push_back(std::move(scaling));
  }
  if (flags.json) {
    std::printf("%s\n", dump_json(scaling_json(all), 1).c_str());
  } else if (all.empty()) {
    std::printf("No run has judged answers yet.\n");
  } else {
    print_scaling(all);
  }
  return static_cast<int>(kOk);
}

}  // namespace

void add_scaling(CLI::App& runs, Action& action) {
  CLI::App* verb = runs.add_subcommand(
      "scaling", "best-of-k curves: answers in turn against answers side by side");
  verb->footer("Example:\n  warpwright runs scaling last --json");
  const auto flags = std::make_shared<ScalingFlags>();
  verb->add_option("runs", flags->runs, "runs by id, beginning of one, or last [all]");
  verb->add_flag("--json", flags->json, "as JSON (docs/search.md)");
  add_archive_option(*verb, flags->archive);
  verb->callback([flags, &action] {
    action = [flags] {
      const auto code = show_scaling(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace warpwright::cli
