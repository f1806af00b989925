// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/stop.h"
#include "core/device_facts.h"
#include "core/evaluation.h"
#include "core/task.h"
#include "evaluate/explain.h"

namespace warpwright::mcp {

/// One source to judge. What a client can choose is here; everything else is the settings of
/// whoever started the server.
struct JudgeWish {
  Task task;
  std::string source;
  std::vector<std::string> sizes;  ///< labels to time; empty: as the settings say
  std::string rule_set;            ///< empty: as the settings say
  bool with_baseline = true;       ///< time the baseline, too, for the speed-up
};

/// Two sources to time in turns; an absent one is the task's baseline.
struct CompareWish {
  Task task;
  std::optional<std::string> first, second;
  std::vector<std::string> sizes;
};

struct ExplainWish {
  Task task;
  std::string source;
  std::string size;    ///< empty: the largest that fits
  std::string target;  ///< a described device; empty: the server's
};

/// A source whose `// tune:` comments declare the values to try.
struct TuneWish {
  Task task;
  std::string source;
  std::vector<std::string> sizes;
  std::int64_t evaluations = 0;  ///< most judgements
};

/// What tuning found; the best is the source as given where nothing was shown to be faster.
struct Tuned {
  std::string source;  ///< the best one, with its values and without the comments
  std::string given_values, best_values;
  Evaluation given, best;
  std::size_t configurations = 0;  ///< that the comments allow
  std::size_t tried = 0;           ///< of them
  std::int64_t evaluations = 0;    ///< judgements, repeats and the comparison included
  bool changed = false;
  double gain = 1;  ///< the given one's time over the best one's
};

/// A search. Limits are what the client asks for; the server's own caps hold besides.
struct SearchWish {
  Task task;
  bool inbox = false;  ///< the client answers itself; else the server's model does
  std::string strategy;
  std::optional<int> candidates, depth;
  std::int64_t evaluations = 0;
  std::optional<double> wall_s, usd;
  std::optional<std::int64_t> tokens;
};

/// Where a search of this server stands.
struct SearchStand {
  bool alive = false;  ///< this process works on it
  std::string error;   ///< why it ended, where the world failed
  int round = 0, finished = 0, valid = 0, judging = 0, asking = 0, waiting = 0;
  std::optional<double> best_us, best_speedup;
  std::string best_trial;
  std::int64_t evaluations = 0, tokens = 0;
  std::optional<double> usd;  ///< absent: not known
  double elapsed_s = 0;
};

/// A Python file with a PyTorch module, to become a task.
struct ModuleWish {
  std::string name;
  std::string text;
  bool backward = false;  ///< the task is the module's gradients
  bool fixed = false;     ///< at the file's shapes alone
};

/// What the tools work with: the functions behind the verbs of the command line, under the settings
/// that the server was started with. Any number of threads may call it.
class Workshop {
 public:
  virtual ~Workshop() = default;

  virtual Result<Evaluation> judge(const JudgeWish& wish, const StopSignal& stop) = 0;
  virtual Result<Evaluation> compare(const CompareWish& wish, const StopSignal& stop) = 0;
  virtual Result<Tuned> tune(const TuneWish& wish, const StopSignal& stop) = 0;
  virtual Result<evaluate::Explanation> explain(const ExplainWish& wish,
                                                const StopSignal& stop) = 0;
  /// The text of task.toml for a PyTorch module, which is run inside the sandbox.
  virtual Result<std::string> describe_module(const ModuleWish& wish, const StopSignal& stop) = 0;
  /// The device that kernels are for.
  virtual Result<DeviceFacts> target() = 0;
  [[nodiscard]] virtual std::filesystem::path archive() const = 0;

  /// The question that a search would begin with.
  virtual Result<std::string> first_question(const Task& task) = 0;
  /// Starts a search that this process works on; its run's id.
  virtual Result<std::string> start_search(const SearchWish& wish) = 0;
  /// None when this process never worked on that run.
  virtual std::optional<SearchStand> search_stand(const std::string& run) = 0;
  /// Asks it to end; what it has found is kept.
  virtual Status stop_search(const std::string& run) = 0;
  /// Stores an answer to an open question of a run.
  virtual Status tell(const std::string& run, const std::string& trial, const std::string& answer,
                      const std::string& by) = 0;
  /// The files of a valid trial (the best one when empty), by name.
  virtual Result<std::map<std::string, std::string>> exported(const std::string& run,
                                                              const std::string& trial) = 0;
};

}  // namespace warpwright::mcp
