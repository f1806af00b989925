// SPDX-License-Identifier: Apache-2.0
#include "fleet/standing.h"

#include <algorithm>
#include <chrono>
#include <set>

#include <fmt/format.h>

#include "base/files.h"
#include "core/json_reader.h"

namespace warpwright::fleet {

namespace fs = std::filesystem;

namespace {

constexpr double kRateSeconds = 300;
constexpr double kMsPerHour = 3.6e6;

/// The file system's own time: that of another machine may differ from ours.
fs::file_time_type time_there(const Spool& spool) {
  const fs::path probe = spool.logs() / ".clock";
  std::error_code error;
  if (write_file(probe, "").ok()) {
    const auto written = fs::last_write_time(probe, error);
    if (!error) return written;
  }
  return fs::file_time_type::clock::now();
}

double age_s(const fs::path& path, fs::file_time_type now) {
  std::error_code error;
  const auto written = fs::last_write_time(path, error);
  return error ? 0 : std::max(0.0, std::chrono::duration<double>(now - written).count());
}

void add_pilot(Standing& standing, const PilotCard& card) {
  standing.judged += card.judged;
  standing.failed += card.failed;
  standing.gpu_hours[card.gpu] +=
      static_cast<double>(std::max<std::int64_t>(0, card.seen_ms - card.started_ms)) / kMsPerHour;
  standing.busy_hours[card.gpu] += card.busy_s / 3600;
}

}  // namespace

Standing standing_of(const Spool& spool) {
  Standing standing;
  standing.spool = spool.folder().string();
  const auto now = time_there(spool);
  for (const auto& [name, card] : pilots_of(spool)) {
    add_pilot(standing, card);
    standing.pilots.push_back({card, age_s(spool.pilots() / (name + ".json"), now)});
  }
  for (const auto& [name, card] : former_pilots(spool)) {
    add_pilot(standing, card);
    ++standing.former;
  }
  std::map<std::string, QueueStanding> queues;
  for (const auto& queue : spool.queues()) {
    queues[queue].waiting = static_cast<int>(spool.waiting(queue).size());
  }
  for (const auto& pilot : spool.pilots_with_jobs()) {
    for (const Waiting& job : spool.taken(pilot)) ++queues[job.queue].taken;
  }
  int recent = 0;
  for (auto& [queue, row] : queues) {
    const auto done = spool.done(queue);
    row.queue = queue;
    row.done = static_cast<int>(done.size());
    standing.waiting += row.waiting;
    standing.taken += row.taken;
    for (const auto& job : done) {
      recent += age_s(spool.done_job(queue, job).path(), now) < kRateSeconds ? 1 : 0;
    }
    standing.queues.push_back(row);
  }
  standing.per_minute = recent * 60.0 / kRateSeconds;
  return standing;
}

std::string standing_text(const Standing& standing) {
  std::string text = fmt::format(
      "{}: {} pilots, {} jobs wait, {} are judged now, {:.1f} a minute\n", standing.spool,
      standing.pilots.size(), standing.waiting, standing.taken, standing.per_minute);
  if (!standing.pilots.empty()) {
    text += fmt::format("  {:<34} {:<16} {:<14} {:<10} {:>7} {:>7} {:>6}  {}\n", "pilot", "host",
                        "gpu", "batch", "judged", "failed", "up", "state");
  }
  for (const auto& [card, silent_s] : standing.pilots) {
    const double up_s = static_cast<double>(card.seen_ms - card.started_ms) / 1e3;
    text += fmt::format("  {:<34} {:<16} {:<14} {:<10} {:>7} {:>7} {:>5.0f}m  {}{}\n", card.name,
                        card.host, card.gpu, card.batch, card.judged, card.failed, up_s / 60,
                        card.state,
                        silent_s > 15 ? fmt::format(", silent for {:.0f} s", silent_s) : "");
  }
  for (const auto& queue : standing.queues) {
    text += fmt::format("  queue {:<40} {:>6} wait, {:>4} judged now, {:>6} done\n", queue.queue,
                        queue.waiting, queue.taken, queue.done);
  }
  text += fmt::format("{} verdicts and {} failures of judges in all, by {} pilots\n",
                      standing.judged, standing.failed,
                      standing.pilots.size() + static_cast<std::size_t>(standing.former));
  for (const auto& [gpu, hours] : standing.gpu_hours) {
    text += fmt::format("  {}: {:.2f} hours, {:.2f} of them busy\n", gpu, hours,
                        standing.busy_hours.at(gpu));
  }
  return text;
}

std::string standing_json(const Standing& standing) {
  nlohmann::json pilots = nlohmann::json::array(), queues = nlohmann::json::array();
  for (const auto& [card, silent_s] : standing.pilots) {
    pilots.push_back({{"name", card.name},
                      {"host", card.host},
                      {"gpu", card.gpu},
                      {"batch", card.batch},
                      {"state", card.state},
                      {"holding", card.holding},
                      {"judged", card.judged},
                      {"failed", card.failed},
                      {"up_s", static_cast<double>(card.seen_ms - card.started_ms) / 1e3},
                      {"busy_s", card.busy_s},
                      {"silent_s", silent_s}});
  }
  for (const auto& queue : standing.queues) {
    queues.push_back({{"queue", queue.queue},
                      {"waiting", queue.waiting},
                      {"taken", queue.taken},
                      {"done", queue.done}});
  }
  return dump_json({{"format", 1},
                    {"spool", standing.spool},
                    {"pilots", std::move(pilots)},
                    {"former_pilots", standing.former},
                    {"queues", std::move(queues)},
                    {"waiting", standing.waiting},
                    {"taken", standing.taken},
                    {"judged", standing.judged},
                    {"failed", standing.failed},
                    {"per_minute", standing.per_minute},
                    {"gpu_hours", standing.gpu_hours},
                    {"busy_hours", standing.busy_hours}});
}

std::string standing_page_json(const Standing& standing) {
  nlohmann::json pilots = nlohmann::json::array();
  for (const auto& pilot : standing.pilots) {
    const PilotCard& card = pilot.card;
    pilots.push_back({{"name", card.name},
                      {"host", card.host},
                      {"gpu", card.gpu},
                      {"batch", card.batch},
                      {"state", card.state},
                      {"judged", card.judged},
                      {"failed", card.failed}});
  }
  nlohmann::json hours = nlohmann::json::object();
  for (const auto& [gpu, value] : standing.gpu_hours) hours[gpu] = fmt::format("{:.2f}", value);
  return dump_json({{"pilots", std::move(pilots)},
                    {"waiting", standing.waiting},
                    {"taken", standing.taken},
                    {"judged", standing.judged},
                    {"failed", standing.failed},
                    {"per_minute", fmt::format("{:.0f}", standing.per_minute)},
                    {"gpu_hours", std::move(hours)}});
}

}  // namespace warpwright::fleet
