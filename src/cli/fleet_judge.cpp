// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet_judge.h"

#include <random>

#include <fmt/format.h>
#include <unistd.h>

#include "base/files.h"
#include "base/sha256.h"
#include "cli/verbs.h"
#include "fleet/slurm.h"
#include "fleet/standing.h"

namespace warpwright::cli {

namespace {

constexpr std::string_view kSlurm = "slurm";
constexpr std::string_view kSpool = "spool:";

bool names_slurm(const std::string& worker) {
  return worker == kSlurm || worker.starts_with(std::string(kSlurm) + ":");
}

std::vector<std::string> flags_in(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t from = 0; from < text.size();) {
    const auto end = std::min(text.find(' ', from), text.size());
    if (end > from) words.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return words;
}

/// The settings [fleet], and over them the options after "slurm:".
Result<fleet::SlurmOptions> fleet_settings(const Settings& settings) {
  fleet::SlurmOptions options;
  options.pilots = static_cast<int>(settings.integer("fleet.pilots").value_or(4));
  options.partition = settings.text("fleet.partition");
  options.account = settings.text("fleet.account");
  options.qos = settings.text("fleet.qos");
  options.constraint = settings.text("fleet.constraint");
  options.gpu = settings.text("fleet.gpu");
  options.time = settings.text("fleet.time");
  options.cpus = settings.text("fleet.cpus");
  options.memory = settings.text("fleet.mem");
  options.flags = flags_in(settings.text("fleet.flags"));
  options.pilot_flags = flags_in(settings.text("fleet.pilot_flags"));
  options.idle_s = settings.number("fleet.idle").value_or(60);
  options.stale_s = settings.number("fleet.stale").value_or(30);
  options.program = settings.text("fleet.program");
  options.spool = settings.text("fleet.spool");
  const std::string& worker = settings.text("judge.worker");
  if (worker.starts_with(kSpool)) options.spool = worker.substr(kSpool.size());
  const std::string_view after = std::string_view(worker).substr(
      names_slurm(worker) ? std::min(worker.size(), kSlurm.size() + 1) : worker.size());
  WW_TRY(options, fleet::slurm_options(after, std::move(options)));
  if (options.spool.empty()) return Error{"--worker: spool: needs a folder, as in spool:jobs"};
  if (options.program.empty()) options.program = own_program();
  return options;
}

Result<fleet::Spool> open_spool(const fleet::SlurmOptions& options) {
  return fleet::Spool::create(options.spool, {.stale_s = options.stale_s});
}

std::string passing_queue() {
  std::random_device random;
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  return fleet::spool_name(fmt::format("once-{}-{}-{:08x}", host, ::getpid(), random()));
}

}  // namespace

bool names_a_fleet(const Settings& settings) {
  const std::string& worker = settings.text("judge.worker");
  return names_slurm(worker) || worker.starts_with(kSpool);
}

Status check_fleet(const Settings& settings) {
  if (!names_a_fleet(settings)) return {};
  WW_TRY(const auto options, fleet_settings(settings));
  return {};
}

Result<std::filesystem::path> spool_folder(const Settings& settings) {
  WW_TRY(const auto options, fleet_settings(settings));
  return absolute_path(options.spool);
}

Result<std::unique_ptr<fleet::FleetEvaluator>> make_fleet_evaluator(const Settings& settings,
                                                                    evaluate::JobRequest pattern,
                                                                    const std::string& queue) {
  WW_TRY(const auto slurm, fleet_settings(settings));
  WW_TRY(fleet::Spool spool, open_spool(slurm));
  const std::string device = pattern.device.text();
  fleet::FleetOptions options{.spool = spool,
                              .queue = queue.empty() ? passing_queue() : queue,
                              .keep_queue = !queue.empty(),
                              .pattern = std::move(pattern),
                              .device = device};
  if (const auto jobs = settings.integer("judge.jobs").value_or(0); jobs > 0) {
    options.parallelism = static_cast<int>(jobs);
  }
  if (names_slurm(settings.text("judge.worker"))) {
    WW_TRY(options.launcher, fleet::SlurmLauncher::create(spool, slurm));
  }
  return std::make_unique<fleet::FleetEvaluator>(std::move(options));
}

std::string fleet_for_page(const std::filesystem::path& folder) {
  const auto spool = fleet::Spool::open(folder);
  return spool.ok() ? fleet::standing_page_json(fleet::standing_of(*spool)) : "{}";
}

std::string queue_of_run(const std::filesystem::path& archive, const store::RunRecord& run) {
  const std::string place = absolute_path(archive).string() + "\n" + run.id;
  return fleet::spool_name(run.task) + "-" + sha256_hex(place).substr(0, 12);
}

void forget_queue(const Settings& settings, const std::string& queue) {
  if (!names_a_fleet(settings)) return;
  const auto folder = spool_folder(settings);
  if (!folder.ok()) return;
  if (const auto spool = fleet::Spool::open(*folder); spool.ok()) spool->forget(queue);
}

}  // namespace warpwright::cli
