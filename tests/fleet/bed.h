// SPDX-License-Identifier: Apache-2.0
// A spool in a folder of its own, and pilots that are processes of the real program with a judge
// whose verdicts follow from the source.
#pragma once

#include <chrono>
#include <csignal>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/child.h"
#include "base/files.h"
#include "base/text.h"
#include "fleet/card.h"
#include "fleet/fleet_evaluator.h"
#include "suite/load.h"
#include "support/places.h"

namespace warpwright::fleet {

/// Waits for something that happens in other processes, however slow the machine is.
template <class Condition>
bool comes_true(const Condition& condition, double seconds = 60) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < until) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return condition();
}

/// How often each job was begun and ended, from the judges' own notes.
struct Judgements {
  std::map<std::string, int> begun, ended;
};

inline Judgements judgements_in(const std::filesystem::path& log) {
  Judgements found;
  const auto text = read_file(log);
  if (!text.ok()) return found;
  for (const auto line : lines_of(*text)) {
    const auto cut = line.find(' ');
    if (cut == std::string_view::npos) continue;
    const std::string job(line.substr(cut + 1));
    ++(line.starts_with("begin") ? found.begun : found.ended)[job];
  }
  return found;
}

class FleetBed : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path log() const { return folder_.path() / "judgements.txt"; }

  Spool make_spool(double stale_s = 1.5) {
    return Spool::create(folder_.path() / "spool", {.stale_s = stale_s}).value();
  }

  /// A pilot whose judge takes so long for each job.
  ChildProcess pilot(int milliseconds, std::vector<std::string> more = {}) {
    Command command;
    command.argv = {program_path(),
                    "pilot",
                    (folder_.path() / "spool").string(),
                    "--server=" + fake_worker_path() + " --serve " + log().string() + " " +
                        std::to_string(milliseconds),
                    "--at-once=2",
                    "--idle=300"};
    command.argv.insert(command.argv.end(), more.begin(), more.end());
    command.env = minimal_environment();
    command.env.emplace_back("ASAN_OPTIONS=detect_leaks=0");
    return std::move(ChildProcess::start(command)).value();
  }

  static FleetOptions search(const Spool& spool, const std::string& queue) {
    FleetOptions options{.spool = spool, .queue = queue, .keep_queue = true};
    options.pattern.task = suite::load_embedded_task("copy").value();
    options.device = "auto";
    return options;
  }

  /// All jobs at once, each with a source of its own; their verdicts.
  static std::vector<Result<Evaluation>> judge_all(FleetEvaluator& evaluator, int count,
                                                   const std::string& prefix,
                                                   const StopSignal& stop) {
    std::vector<Result<Evaluation>> results(static_cast<std::size_t>(count),
                                            Result<Evaluation>(Error{"never asked"}));
    std::vector<std::jthread> threads;
    for (int i = 0; i < count; ++i) {
      threads.emplace_back([&, i] {
        const std::string id = prefix + std::to_string(i);
        results[static_cast<std::size_t>(i)] = evaluator.evaluate({id, "// " + id, false}, stop);
      });
    }
    threads.clear();
    return results;
  }

  static void expect_verdicts(const std::vector<Result<Evaluation>>& results) {
    for (const auto& result : results) {
      ASSERT_TRUE(result.ok()) << result.error().message;
      EXPECT_NE(result->verdict, Verdict::harness_error) << result->reason;
    }
  }

  TemporaryDirectory folder_ = std::move(TemporaryDirectory::create("ww-fleet-")).value();
  StopSignal stop_;
};

}  // namespace warpwright::fleet
