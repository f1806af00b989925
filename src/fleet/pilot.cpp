// SPDX-License-Identifier: Apache-2.0
#include "fleet/pilot.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <random>
#include <thread>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cores.h"
#include "base/files.h"
#include "core/json_reader.h"
#include "device/device.h"
#include "evaluate/worker_client.h"
#include "fleet/card.h"
#include "fleet/taker.h"

namespace warpwright::fleet {

namespace {

using Steady = std::chrono::steady_clock;

constexpr double kReapEverySeconds = 2;
// After a judge that failed: time for a healthy pilot to take the job.
constexpr double kFirstPauseSeconds = 1;
constexpr double kLongestPauseSeconds = 30;
constexpr int kGlanceMs = 50;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string host_name() {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  return name;
}

/// The batch system's words for this process.
std::string batch_id() {
  const std::string array = variable("SLURM_ARRAY_JOB_ID");
  if (!array.empty()) return array + "_" + variable("SLURM_ARRAY_TASK_ID");
  return variable("SLURM_JOB_ID");
}

PilotCard own_card(const std::string& gpu) {
  PilotCard card;
  card.host = variable("SLURMD_NODENAME").empty() ? host_name() : variable("SLURMD_NODENAME");
  card.gpu = gpu;
  card.batch = batch_id();
  card.devices = variable("CUDA_VISIBLE_DEVICES");
  card.pid = ::getpid();
  card.started_ms = SystemClock().unix_ms();
  std::random_device random;
  card.name = spool_name(fmt::format("{}-{}-{:06x}", card.host,
                                     card.batch.empty() ? std::to_string(card.pid) : card.batch,
                                     random() & 0xffffffU));
  return card;
}

double seconds_since(Steady::time_point then) {
  return std::chrono::duration<double>(Steady::now() - then).count();
}

/// One pilot at work: threads that each have a job, and one judge for all of them.
class Pilot {
 public:
  Pilot(const Spool& spool, const PilotOptions& options, PilotCard card, StopSignal& stop)
      : spool_(spool),
        options_(options),
        card_(std::move(card)),
        stop_(stop),
        taker_(spool, card_.name, gpu_key(card_.gpu)) {}

  Result<PilotEnd> work();

 private:
  void serve();
  void judge(const Taker::Taken& taken);
  void failed(const Taker::Taken& taken, const std::string& why);
  [[nodiscard]] bool over() const { return ending_ || stop_.requested() || lost_.requested(); }
  void look_around();
  void watch();
  void say(const std::string& line) const {
    if (options_.log) options_.log(line);
  }
  void pause(double seconds);
  void count(int jobs);

  const Spool& spool_;
  const PilotOptions& options_;
  PilotCard card_;
  StopSignal& stop_;
  StopSignal lost_;
  StopSignal abandon_;  ///< jobs under way
  Taker taker_;
  std::unique_ptr<Heartbeat> heart_;
  std::unique_ptr<evaluate::WorkerClient> judge_;
  const Steady::time_point started_ = Steady::now();
  std::atomic<bool> ending_ = false;
  std::atomic<std::int64_t> judged_ = 0;
  std::mutex mutex_;  ///< of what follows
  std::string why_;
  std::string broken_;  ///< why the judge cannot be started
  int holding_ = 0;
  int failures_ = 0;  ///< in a row
  Steady::time_point last_job_ = Steady::now();
  std::vector<Waiting> unfinished_;
};

void Pilot::count(int jobs) {
  const std::lock_guard lock(mutex_);
  const double busy = holding_ > 0 ? seconds_since(last_job_) : 0;
  holding_ += jobs;
  last_job_ = Steady::now();
  heart_->update([&](PilotCard& card) {
    card.busy_s += busy;
    card.holding = holding_;
    card.judged = judged_;
    card.state = holding_ > 0 ? "judging" : "idle";
  });
}

void Pilot::pause(double seconds) {
  const auto until = Steady::now() + std::chrono::duration<double>(seconds);
  while (!over() && Steady::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(kGlanceMs));
  }
}

/// A judge that failed says nothing of the candidate: another pilot may have a better one.
void Pilot::failed(const Taker::Taken& taken, const std::string& why) {
  say(fmt::format("{}: {}", taken.place.job, why));
  std::error_code ignored;
  std::filesystem::remove(taken.job.path() / "result.json", ignored);
  spool_.give_back(card_.name, taken.place, card_.host + ": " + why);
  double seconds = 0;
  {
    const std::lock_guard lock(mutex_);
    seconds = std::min(kLongestPauseSeconds, kFirstPauseSeconds * (1 << std::min(failures_++, 5)));
  }
  heart_->update([](PilotCard& card) { ++card.failed; });
  count(-1);
  pause(seconds);
}

void Pilot::judge(const Taker::Taken& taken) {
  const std::int64_t began_ms = SystemClock().unix_ms();
  const Status done = judge_->judge(taken.job, abandon_);
  if (!done.ok()) {
    const std::lock_guard lock(mutex_);
    unfinished_.push_back(taken.place);
    if (!abandon_.requested()) {
      broken_ = done.error().message;
      ending_ = true;
    }
    return;
  }
  if (!taken.job.has_result()) return failed(taken, "the judge ended without a result");
  const auto result = taken.job.read_result();
  if (!result.ok()) return failed(taken, result.error().message);
  if (result->verdict == Verdict::harness_error) return failed(taken, result->reason);
  static_cast<void>(
      write_file(taken.job.path() / "judged_by.json", dump_json({{"pilot", card_.name},
                                                                 {"host", card_.host},
                                                                 {"gpu", card_.gpu},
                                                                 {"batch", card_.batch},
                                                                 {"began_ms", began_ms}})));
  if (spool_.finish(card_.name, taken.place)) ++judged_;
  {
    const std::lock_guard lock(mutex_);
    failures_ = 0;
  }
  count(-1);
}

void Pilot::serve() {
  while (auto taken = taker_.next([this] { return over(); }, [this] { look_around(); })) {
    count(+1);
    if (over()) {  // it was taken too late
      const std::lock_guard lock(mutex_);
      unfinished_.push_back(taken->place);
      return;
    }
    judge(*taken);
  }
}

/// Called while there is no job to take.
void Pilot::look_around() {
  const std::lock_guard lock(mutex_);
  if (holding_ > 0 || options_.idle_s <= 0 || seconds_since(last_job_) < options_.idle_s) return;
  why_ = "idle";
  ending_ = true;
}

/// The main thread: other pilots' deaths, the end of the own life, and a stop.
void Pilot::watch() {
  Reaper reaper(spool_);
  auto reaped = Steady::now();
  while (!over()) {
    pollfd watched[2] = {{stop_.fd(), POLLIN, 0}, {lost_.fd(), POLLIN, 0}};
    ::poll(watched, 2, kGlanceMs);
    if (options_.lifetime_s > 0 && seconds_since(started_) > options_.lifetime_s) {
      const std::lock_guard lock(mutex_);
      why_ = "lifetime";
      ending_ = true;
    }
    if (seconds_since(reaped) < std::min(kReapEverySeconds, spool_.rules().stale_s / 3)) continue;
    for (const auto& name : reaper.look()) say("pilot " + name + " is gone; its jobs wait again");
    reaped = Steady::now();
  }
  // Jobs that are nearly done are finished, unless they are no longer ours.
  const auto stopped = Steady::now();
  const auto hurried = [&] {
    if (lost_.requested()) return true;
    return stop_.requested() && seconds_since(stopped) >= options_.grace_s;
  };
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      if (holding_ - static_cast<int>(unfinished_.size()) <= 0) return;
    }
    if (hurried()) abandon_.request(StopReason::interrupted);
    std::this_thread::sleep_for(std::chrono::milliseconds(kGlanceMs / 5));
  }
}

Result<PilotEnd> Pilot::work() {
  WW_TRY(heart_, Heartbeat::start(spool_, card_, lost_));
  WW_CHECK(spool_.enrol(card_.name));
  judge_ = std::make_unique<evaluate::WorkerClient>(options_.server);
  say(fmt::format("pilot {} on {}, {}", card_.name, card_.host, card_.gpu));
  {
    std::vector<std::jthread> threads;
    const int count = options_.at_once > 0 ? options_.at_once : usable_cores() + 1;
    for (int i = 0; i < count; ++i) threads.emplace_back([this] { serve(); });
    watch();
  }
  // Nobody judges here any more before others may.
  judge_.reset();
  for (const Waiting& place : unfinished_) spool_.give_back(card_.name, place, "");
  spool_.leave(card_.name);
  heart_.reset();
  if (!broken_.empty()) return Error{"the judge cannot be started: " + broken_};
  if (lost_.requested()) why_ = "lost";
  if (why_.empty()) why_ = "stopped";
  return PilotEnd{judged_, static_cast<std::int64_t>(unfinished_.size()), why_};
}

}  // namespace

Result<PilotEnd> run_pilot(const Spool& spool, const PilotOptions& options, StopSignal& stop) {
  Pilot pilot(spool, options, own_card(options.gpu), stop);
  return pilot.work();
}

std::string visible_gpu() {
  if (!device::cuda_available()) return "simt";
  const auto live = device::resolve_device({.device = "cuda", .target = "h200"});
  return live.ok() ? live->facts.name : "simt";
}

}  // namespace warpwright::fleet
