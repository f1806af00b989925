// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "bench/prepare.h"
#include "core/device_facts.h"
#include "profile/roofline.h"

namespace warpwright::bench {

/// Who was timed.
enum class Runner { slow, baseline, kernel, library, eager, compiled };
inline constexpr int kRunnerCount = 6;
std::string_view name_of(Runner runner);  ///< "b0", "b1", "kernel", "library", "eager", "compiled"

/// The time of one runner at one size.
struct Timed {
  Runner runner = Runner::kernel;
  std::string name;   ///< "b1", "k.tiled", "cublas.sgemm"
  std::string apart;  ///< why it competes with none: "tf32", or "free" of a kernel; usually ""
  std::string note;
  TimeSource source = TimeSource::measured;
  double median_us = 0, low_us = 0, high_us = 0;
  int samples = 0;
};

/// One task at one size: a line of the table.
struct Row {
  std::string task, size;
  double bytes = 0, flops = 0;
  profile::Roofline roof;
  std::vector<Timed> times;

  /// The fastest of its kind that plays by the same rules; for kernels, the task's best one.
  [[nodiscard]] const Timed* of(Runner runner) const;
  std::string best_kernel;  ///< of the task, over all sizes
};

/// What the device can do at most. Measured where a file of measured ceilings is there.
struct Ceilings {
  double memory_gb_per_s = 0, fp32_tflops = 0;
  double launch_us = 0;  ///< an empty kernel, timed like everything else; 0 = not known
  std::string source;    ///< "measured" or "data sheet"
};

/// Geometric mean of how much faster `fast` is than `slow`: first over the sizes of each task,
/// then over the tasks.
struct Mean {
  Runner slow, fast;
  int tasks = 0, cells = 0;
  double all = 0;
  int busy_tasks = 0;
  double busy = 0;  ///< without launch-bound sizes; 0 = there are none
};

/// A job that ended badly, or has not ended.
struct Trouble {
  std::string job, verdict, reason;
  std::string task, kernel;
};

struct Board {
  std::string device;
  DeviceFacts facts;
  Ceilings ceilings;
  std::vector<Row> rows;
  std::vector<Mean> means;
  std::vector<Trouble> troubles;
  std::vector<std::string> missing;  ///< jobs without a result
  int jobs = 0;
};

/// Reads every result that is there: of the jobs themselves, and from `more` (and the folder
/// itself) `results*.jsonl`, `comparators*.jsonl` and `ceilings.json`, as they come back from
/// another machine.
Result<Board> read_board(const BenchFolder& folder, const std::filesystem::path& more = {});

/// How close to the ceiling, in (0, 1]; the ceiling of a launch-bound size is an empty launch.
std::optional<double> share_of_ceiling(const Board& board, const Row& row, const Timed& timed);

std::string board_text(const Board& board);  ///< for a terminal
std::string board_json(const Board& board);  ///< docs/formats.md

}  // namespace warpwright::bench
