// SPDX-License-Identifier: Apache-2.0
#include "fleet/fleet_evaluator.h"

#include <algorithm>
#include <cerrno>
#include <chrono>

#include <poll.h>
#include <unistd.h>

#include "base/files.h"
#include "base/text.h"
#include "core/json_reader.h"
#include "fleet/card.h"

namespace warpwright::fleet {

namespace fs = std::filesystem;
using evaluate::JobRequest;

namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kShortestLook = 5ms;
constexpr std::chrono::milliseconds kLongestLook = 100ms;
constexpr int kResultLookingShare = 5;
constexpr auto kTendEvery = 1s;
constexpr auto kBindingGlance = 50ms;
// A disk that is full, or a server that does not answer, may be so for a while.
constexpr auto kSubmitFor = 5min;
constexpr auto kSubmitAgain = 2s;
// A job that is nowhere was removed by somebody.
constexpr auto kMissingAfter = 30s;
constexpr const char* kBoundFile = ".gpu";
constexpr const char* kNoGpu = "simt";

void pause(const StopSignal& stop, std::chrono::milliseconds duration) {
  pollfd watched{stop.fd(), POLLIN, 0};
  ::poll(&watched, 1, static_cast<int>(duration.count()));
}

/// The model that most pilots have; a GPU before none.
std::string most_common_gpu(const Spool& spool, DeviceName::Kind kind) {
  std::map<std::string, int> counts;
  for (const auto& [name, card] : pilots_of(spool)) ++counts[gpu_key(card.gpu)];
  const int without = counts.contains(kNoGpu) ? counts.extract(kNoGpu).mapped() : 0;
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most != counts.end()) return most->first;
  return without > 0 && kind != DeviceName::Kind::cuda ? kNoGpu : "";
}

/// Who judged it, for the archive.
void add_origin(Evaluation& evaluation, const fs::path& folder) {
  const auto text = read_file(folder / "judged_by.json", 64 * 1024);
  if (!text.ok()) return;
  const auto document = parse_json(*text, "judged_by.json");
  if (!document.ok() || !document->is_object()) return;
  for (const char* key : {"pilot", "host", "gpu", "batch"}) {
    const auto found = document->find(key);
    if (found == document->end() || !found->is_string()) continue;
    const auto value = found->get<std::string>();
    if (!value.empty()) evaluation.manifest[std::string("fleet_") + key] = clean_utf8(value);
  }
}

}  // namespace

FleetEvaluator::FleetEvaluator(FleetOptions options)
    : options_(std::move(options)),
      watcher_([this](const std::stop_token& over) { watch(over); }) {}

FleetEvaluator::~FleetEvaluator() {
  watcher_.request_stop();
  watcher_.join();
  if (!options_.keep_queue) options_.spool.forget(options_.queue);
}

Status FleetEvaluator::trouble() {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

/// The GPU model of this queue, decided once: times of two models say nothing about each other.
Result<std::string> FleetEvaluator::bound_gpu(const JobRequest& request, const StopSignal& stop) {
  if (request.device.kind() == DeviceName::Kind::simt) return std::string(kAnyGpu);
  if (!options_.gpu.empty()) return gpu_key(options_.gpu);
  const std::lock_guard hold(binding_);
  if (!gpu_key_.empty()) return gpu_key_;
  const fs::path file = options_.spool.done_job(options_.queue, kBoundFile).path();
  {
    const std::lock_guard lock(mutex_);
    ++unbound_;
  }
  Status status;
  while (gpu_key_.empty() && status.ok()) {
    const auto before = read_file(file, 4096);
    if (before.ok()) gpu_key_ = trimmed(*before);
    if (gpu_key_.empty()) gpu_key_ = most_common_gpu(options_.spool, request.device.kind());
    if (gpu_key_.empty()) pause(stop, kBindingGlance);
    if (stop.requested()) status = Error{"stopped while waiting for a pilot"};
    if (status.ok()) status = trouble();
  }
  {
    const std::lock_guard lock(mutex_);
    --unbound_;
  }
  WW_CHECK(status);
  WW_CHECK(make_directories(file.parent_path()));
  WW_CHECK(write_file(file, gpu_key_ + "\n"));
  return gpu_key_;
}

Status FleetEvaluator::submit(const std::string& job, const JobRequest& request,
                              const StopSignal& stop) {
  const auto until = Steady::now() + kSubmitFor;
  for (;;) {
    Status left = options_.spool.submit(options_.queue, job, request);
    if (left.ok() || Steady::now() > until) return left;
    pause(stop, kSubmitAgain);
    if (stop.requested()) return Error{"stopped while leaving " + job};
  }
}

Status FleetEvaluator::wait_for(const std::string& job, const JobRequest& request,
                                const StopSignal& stop) {
  auto seen = Steady::now();
  std::unique_lock lock(mutex_);
  while (!ready_.contains(job)) {
    if (stop.requested()) return Error{"stopped while waiting for " + job};
    if (!trouble_.ok()) return trouble_;
    changed_.wait_for(lock, 200ms);
    if (Steady::now() - seen < kMissingAfter) continue;
    lock.unlock();
    if (!options_.spool.knows(options_.queue, job)) WW_CHECK(submit(job, request, stop));
    seen = Steady::now();
    lock.lock();
  }
  return {};
}

Result<Evaluation> FleetEvaluator::collect(const std::string& job) {
  const auto folder = options_.spool.done_job(options_.queue, job);
  auto result = folder.read_result();
  if (result.ok()) add_origin(*result, folder.path());
  if (!result.ok() || result->verdict == Verdict::harness_error) {
    options_.spool.put_aside(options_.queue, job);
    const std::lock_guard lock(mutex_);
    ready_.erase(job);
  }
  return result;
}

Result<Evaluation> FleetEvaluator::judge(JobRequest request, const StopSignal& stop, int repeat) {
  // From taken/PILOT/JOB. A path of this machine means nothing to another one.
  request.cache = "../../../cache";
  WW_TRY(const std::string gpu, bound_gpu(request, stop));
  const std::string job = job_name(gpu, request, repeat);
  {
    const std::lock_guard lock(mutex_);
    awaited_.insert(job);
  }
  Status done = submit(job, request, stop);
  if (done.ok()) done = wait_for(job, request, stop);
  {
    const std::lock_guard lock(mutex_);
    awaited_.erase(awaited_.find(job));
    if (done.ok()) ++judged_;
  }
  WW_CHECK(done);
  return collect(job);
}

Result<Evaluation> FleetEvaluator::evaluate(const evaluate::EvaluationRequest& request,
                                            const StopSignal& stop) {
  JobRequest full = options_.pattern;
  full.id = request.id;
  full.source = request.source;
  full.is_baseline = request.is_baseline;
  full.rival = request.rival;
  full.rival_is_baseline = request.rival_is_baseline;
  return judge(std::move(full), stop, request.repeat);
}

void FleetEvaluator::look_for_results() {
  std::vector<std::string> done = options_.spool.done(options_.queue);
  const std::lock_guard lock(mutex_);
  const std::size_t before = ready_.size();
  for (std::string& job : done) {
    if (awaited_.contains(job)) ready_.insert(std::move(job));
  }
  if (ready_.size() > before) changed_.notify_all();
}

/// Results, pilots that died, and pilots that are needed.
void FleetEvaluator::watch(const std::stop_token& over) {
  Reaper reaper(options_.spool);
  auto tended = Steady::time_point{};
  while (!over.stop_requested()) {
    const auto began = Steady::now();
    look_for_results();
    if (began - tended > kTendEvery) {
      reaper.look();
      if (options_.launcher) {
        const std::size_t waiting = options_.spool.waiting_count();
        std::unique_lock lock(mutex_);
        const std::size_t wanted = waiting + unbound_;
        const std::size_t judged = std::exchange(judged_, 0);
        lock.unlock();
        Status tending = options_.launcher->tend(wanted, judged);
        lock.lock();
        trouble_ = std::move(tending);
        if (!trouble_.ok()) changed_.notify_all();
      }
      tended = Steady::now();
    }
    const auto looking =
        std::chrono::duration_cast<std::chrono::milliseconds>(Steady::now() - began);
    std::this_thread::sleep_for(
        std::clamp(looking * kResultLookingShare, kShortestLook, kLongestLook));
  }
}

}  // namespace warpwright::fleet
