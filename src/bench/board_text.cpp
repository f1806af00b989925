// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "bench/board.h"

namespace warpwright::bench {

namespace {

constexpr std::array<Runner, 6> kColumns = {Runner::slow,    Runner::baseline, Runner::kernel,
                                            Runner::library, Runner::eager,    Runner::compiled};

std::string cell(const Timed* timed) {
  if (timed == nullptr) return "-";
  const char* mark = timed->source == TimeSource::estimated ? "~" : "";
  return timed->median_us < 1000 ? fmt::format("{}{:.2f}", mark, timed->median_us)
                                 : fmt::format("{}{:.0f}", mark, timed->median_us);
}

/// The one that the line is about: the kernel where there is one, else the baseline.
const Timed* subject(const Row& row) {
  const Timed* kernel = row.of(Runner::kernel);
  return kernel != nullptr ? kernel : row.of(Runner::baseline);
}

std::string line_of(const Board& board, const Row& row) {
  std::string line = fmt::format("  {:<20} {:<13} {:>9.2f}", row.size, name_of(row.roof.regime),
                                 row.roof.floor_us);
  for (const Runner runner : kColumns) line += fmt::format(" {:>9}", cell(row.of(runner)));
  const Timed* timed = subject(row);
  const auto share = timed == nullptr ? std::nullopt : share_of_ceiling(board, row, *timed);
  line += share ? fmt::format(" {:>6.1f}%", 100 * *share) : fmt::format(" {:>7}", "-");
  const Timed* library = row.of(Runner::library);
  if (library != nullptr) line += "  " + library->name;
  return line + "\n";
}

/// Kernels of the task that have no times because of their verdict.
std::string refusals(const Board& board, const std::string& task) {
  std::string text;
  for (const Trouble& trouble : board.troubles) {
    if (trouble.task != task) continue;
    text += fmt::format("  ({}: {})", trouble.kernel, trouble.verdict);
  }
  return text;
}

std::string means_text(const Board& board) {
  if (board.means.empty()) return "";
  std::string text = "\nHow many times faster, geometric mean over tasks of that over sizes:\n";
  for (const Mean& mean : board.means) {
    text += fmt::format("  {:<10} over {:<10} {:>8.2f}  ({} tasks, {} sizes)", name_of(mean.fast),
                        name_of(mean.slow), mean.all, mean.tasks, mean.cells);
    if (mean.busy > 0) {
      text +=
          fmt::format("; {:.2f} without launch-bound sizes ({} tasks)", mean.busy, mean.busy_tasks);
    }
    text += "\n";
  }
  return text;
}

}  // namespace

std::string board_text(const Board& board) {
  std::string text = fmt::format(
      "{}\nCeilings ({}): {:.0f} GB/s, {:.1f} TFLOP/s fp32{}. Times in us, medians with a cold L2; "
      "~ "
      "is an estimate.\n\n",
      board.device.empty() ? "no results yet" : board.device, board.ceilings.source,
      board.ceilings.memory_gb_per_s, board.ceilings.fp32_tflops,
      board.ceilings.launch_us > 0 ? fmt::format(", launch {:.2f} us", board.ceilings.launch_us)
                                   : "");
  text += fmt::format("{:<22} {:<13} {:>9}", "task, size", "regime", "floor");
  for (const Runner runner : kColumns) text += fmt::format(" {:>9}", name_of(runner));
  text += fmt::format(" {:>7}  {}\n", "share", "library");
  std::string task;
  for (const Row& row : board.rows) {
    if (row.task != task) {
      task = row.task;
      text += task + (row.best_kernel.empty() ? "" : "  (kernel: " + row.best_kernel + ")");
      text += refusals(board, task) + "\n";
    }
    text += line_of(board, row);
  }
  text += means_text(board);
  if (!board.troubles.empty()) {
    text += fmt::format("\nBAD VERDICTS: {} of {} jobs\n", board.troubles.size(), board.jobs);
  }
  for (const Trouble& trouble : board.troubles) {
    text += fmt::format("  {}: {}: {}\n", trouble.job, trouble.verdict, trouble.reason);
  }
  if (!board.missing.empty()) {
    text += fmt::format("\n{} of {} jobs have no result yet\n", board.missing.size(), board.jobs);
  }
  return text;
}

}  // namespace warpwright::bench
