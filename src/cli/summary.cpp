// SPDX-License-Identifier: Apache-2.0
#include "cli/summary.h"

#include <cstdio>

#include <fmt/format.h>

#include "base/stop.h"
#include "cli/exit_codes.h"
#include "core/json_reader.h"

namespace warpwright::cli {

using store::RunStatus;

namespace {

int exit_code(const search::Ending& ending) {
  switch (ending.status) {
    case RunStatus::failed:
      return kFailed;
    case RunStatus::waiting:
      return kWaiting;
    case RunStatus::stopped:
      if (ending.why == name_of(StopReason::interrupted)) return kInterrupted;
      return ending.best ? kOk : kBad;
    case RunStatus::running:
    case RunStatus::finished:
      break;
  }
  return ending.best ? kOk : kBad;
}

void print_json(const std::string& run, const search::Ending& ending) {
  nlohmann::json event = {{"event", "end"},
                          {"run", run},
                          {"status", name_of(ending.status)},
                          {"why", ending.why},
                          {"trials", ending.state.finished},
                          {"valid", ending.state.valid},
                          {"evaluations", ending.state.spent.evaluations},
                          {"tokens", ending.state.spent.tokens},
                          {"usd", usd_json(ending.state.spent)},
                          {"elapsed_s", ending.state.elapsed_s}};
  if (ending.best) {
    event["best_trial"] = ending.best->proposal.id;
    if (const auto score = score_us(ending.best->evaluation)) event["best_us"] = *score;
    if (const auto gain = speedup(ending.best->evaluation)) event["speedup"] = *gain;
    if (const auto sol = sol_score(ending.best->evaluation)) event["sol_score"] = *sol;
  }
  std::printf("%s\n", dump_json(event).c_str());
}

void print_best(const search::Ending& ending) {
  const Evaluation& evaluation = ending.best->evaluation;
  std::printf("Best kernel: %s on %s", ending.best->proposal.id.c_str(), evaluation.device.c_str());
  if (const auto gain = speedup(evaluation)) std::printf(", x%.2f over the baseline", *gain);
  if (const auto share = roofline_share(evaluation)) {
    std::printf(", %.1f %% of the roofline", *share * 100);
  }
  if (const auto sol = sol_score(evaluation)) std::printf(", SOL score %.3f", *sol);
  std::printf("\n%s", times_table(evaluation).c_str());
}

void print_next_steps(const std::string& run, const search::Ending& ending) {
  const char* id = run.c_str();
  if (ending.status == RunStatus::waiting) {
    std::printf(
        "Next: warpwright ask %s             # print the open questions\n"
        "      warpwright tell %s ID FILE    # store an answer\n"
        "      warpwright resume %s          # go on\n",
        id, id, id);
    return;
  }
  if (ending.status == RunStatus::stopped || ending.status == RunStatus::failed) {
    std::printf("Nothing is lost. Go on with: warpwright resume %s\n", id);
  }
  if (ending.best) {
    std::printf(
        "Kernel:  warpwright show %s %s\n"
        "Export:  warpwright export %s -o kernel\n"
        "Page:    warpwright report %s -o report.html\n",
        id, ending.best->proposal.id.c_str(), id, id);
  }
}

}  // namespace

namespace {

/// An estimate is one number: it has no spread that would say how sure it is.
std::string interval_text(const Measurement& m) {
  if (m.source == TimeSource::estimated) return "-";
  return fmt::format("{:.3f} .. {:.3f}", m.low_us, m.high_us);
}

}  // namespace

std::string times_table(const Evaluation& evaluation) {
  if (evaluation.measurements.empty()) return "";
  const bool weighted = has_weights(evaluation);
  std::string table =
      fmt::format("  {:<24} {:>12} {:>25} {:>12} {:>8} {:>7} {:>6}{}\n", "size", "time us",
                  "interval", "baseline us", "speed-up", "roof", "SOL", weighted ? "  weight" : "");
  for (const auto& m : evaluation.measurements) {
    table += fmt::format(
        "  {:<24} {:>12.3f} {:>25} {:>12} {:>8} {:>7} {:>6}{}{}\n", m.size, m.median_us,
        interval_text(m), m.baseline_us > 0 ? fmt::format("{:.3f}", m.baseline_us) : "-",
        m.baseline_us > 0 ? fmt::format("x{:.2f}", m.baseline_us / m.median_us) : "-",
        m.floor_us > 0 ? fmt::format("{:.1f} %", m.floor_us / m.median_us * 100) : "-",
        m.floor_us > 0 && m.baseline_us > 0
            ? fmt::format("{:.3f}", sol_score(call_us(m), m.baseline_us, m.floor_us))
            : "-",
        weighted ? fmt::format(" {:>7.3g}", m.weight) : "",
        m.source == TimeSource::estimated ? "  (estimate)" : "");
  }
  return table;
}

int print_ending(store::Archive& archive, const std::string& run, const search::Ending& ending,
                 ProgressMode mode) {
  if (mode == ProgressMode::json) {
    print_json(run, ending);
    return exit_code(ending);
  }
  if (ending.status == RunStatus::failed) {
    std::fprintf(stderr, "warpwright: %s\n", ending.why.c_str());
  }
  std::printf("Run %s: %s (%s)\n", run.c_str(), std::string(name_of(ending.status)).c_str(),
              ending.why.c_str());
  if (ending.best) print_best(ending);
  const auto& state = ending.state;
  std::printf("%d trials, %d valid, %lld judged; %lld tokens, %s; %.1f s\n", state.finished,
              state.valid, static_cast<long long>(state.spent.evaluations),
              static_cast<long long>(state.spent.tokens), money_text(state.spent).c_str(),
              state.elapsed_s);
  std::printf("Archive: %s\n", archive.path().c_str());
  print_next_steps(run, ending);
  return exit_code(ending);
}

}  // namespace warpwright::cli
