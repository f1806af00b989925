// SPDX-License-Identifier: Apache-2.0
#include "bench/board.h"
#include "core/json_reader.h"

namespace warpwright::bench {

using nlohmann::json;

namespace {

json timed_json(const Board& board, const Row& row, const Timed& timed) {
  json object = {{"runner", name_of(timed.runner)},
                 {"name", timed.name},
                 {"source", timed.source == TimeSource::measured ? "measured" : "estimated"},
                 {"median_us", timed.median_us},
                 {"low_us", timed.low_us},
                 {"high_us", timed.high_us},
                 {"samples", timed.samples}};
  if (!timed.apart.empty()) object["apart"] = timed.apart;
  if (!timed.note.empty()) object["note"] = timed.note;
  if (const auto share = share_of_ceiling(board, row, timed)) object["share"] = *share;
  // Over the baseline; the ends from the ends of both intervals.
  const Timed* base = row.of(Runner::baseline);
  if (base != nullptr && base->source == timed.source && timed.low_us > 0 && timed.median_us > 0) {
    object["speedup"] = {{"median", base->median_us / timed.median_us},
                         {"low", base->low_us / timed.high_us},
                         {"high", base->high_us / timed.low_us}};
  }
  return object;
}

json row_json(const Board& board, const Row& row) {
  json times = json::array();
  for (const Timed& timed : row.times) times.push_back(timed_json(board, row, timed));
  return {{"task", row.task},
          {"size", row.size},
          {"bytes", row.bytes},
          {"flops", row.flops},
          {"floor_us", row.roof.floor_us},
          {"regime", profile::name_of(row.roof.regime)},
          {"best_kernel", row.best_kernel},
          {"times", std::move(times)}};
}

}  // namespace

std::string board_json(const Board& board) {
  json rows = json::array(), means = json::array(), troubles = json::array();
  for (const Row& row : board.rows) rows.push_back(row_json(board, row));
  for (const Mean& mean : board.means) {
    means.push_back({{"slow", name_of(mean.slow)},
                     {"fast", name_of(mean.fast)},
                     {"speedup", mean.all},
                     {"tasks", mean.tasks},
                     {"sizes", mean.cells},
                     {"speedup_without_launch_bound", mean.busy},
                     {"tasks_without_launch_bound", mean.busy_tasks}});
  }
  for (const Trouble& trouble : board.troubles) {
    troubles.push_back(
        {{"job", trouble.job}, {"verdict", trouble.verdict}, {"reason", trouble.reason}});
  }
  return dump_json({{"format", 1},
                    {"device", board.device},
                    {"ceilings",
                     {{"source", board.ceilings.source},
                      {"memory_gb_per_s", board.ceilings.memory_gb_per_s},
                      {"fp32_tflops", board.ceilings.fp32_tflops},
                      {"launch_us", board.ceilings.launch_us}}},
                    {"rows", std::move(rows)},
                    {"means", std::move(means)},
                    {"troubles", std::move(troubles)},
                    {"missing", board.missing}},
                   1);
}

}  // namespace warpwright::bench
