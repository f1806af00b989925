// SPDX-License-Identifier: Apache-2.0
#include "evaluate/supervisor.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "base/background.h"
#include "base/cores.h"
#include "evaluate/hand_over.h"
#include "evaluate/lines.h"
#include "evaluate/local_evaluator.h"
#include "evaluate/worker.h"

namespace warpwright::evaluate {

namespace {

// On the GPU one judgement, and more that get ready for it.
constexpr int kJobsPerGpuRunner = 6;
// Threads that wait for a GPU do not compile: enough of them to keep the compilers busy.
constexpr int kThreadsPerCore = 2;

}  // namespace

Supervisor::Supervisor(SupervisorOptions options, const StopSignal& stop)
    : options_(std::move(options)),
      stop_(stop),
      preparing_(options_.preparing > 0 ? options_.preparing : usable_cores()) {}

Result<RunnerPool*> Supervisor::pool_for(const JobRequest& request) {
  WW_TRY(const auto resolved,
         device::resolve_device({.device = request.device, .target = request.target}));
  const std::lock_guard hold(mutex_);
  auto& pool = pools_[resolved.choice.device.text()];
  if (pool == nullptr) {
    RunnerOptions options;
    options.command.argv = options_.runner;
    options.command.env = worker_environment();
    options.late = resolved.is_cuda ? Verdict::timeout : Verdict::harness_error;
    options.processes = resolved.is_cuda ? 1 : usable_cores();
    options.jobs_each = resolved.is_cuda ? kJobsPerGpuRunner : 1;
    pool = std::make_unique<RunnerPool>(std::move(options));
  }
  return pool.get();
}

Status Supervisor::judge(const JobDirectory& job) {
  const auto request = job.read_request();
  if (!request.ok()) return job.write_result(unreadable(request.error()));
  const auto pool = pool_for(*request);
  if (!pool.ok()) return job.write_result(unreadable(pool.error()));
  preparing_.acquire();
  Result<std::optional<std::string>> digest = std::optional<std::string>{};
  // A compiler must not make the candidate wait that has the GPU.
  std::thread([&] {
    work_in_background();
    digest = prepare(job, station_, stop_);
  }).join();
  preparing_.release();
  if (!digest.ok()) return digest.error();
  if (!digest->has_value()) return {};
  if (stop_.requested()) return Error{"stopped"};
  (*pool)->run(job, request->limit_s, **digest);
  if (!job.has_result()) return Error{"stopped before there was a result"};
  forget_hand_over(job);
  return {};
}

void judge_all(const std::vector<JobDirectory>& jobs, Supervisor& supervisor,
               const std::function<void(const JobDirectory&, const Status&)>& report) {
  std::atomic<std::size_t> next{0};
  std::mutex reporting;
  const auto work = [&] {
    for (std::size_t i = next++; i < jobs.size(); i = next++) {
      const Status judged = supervisor.judge(jobs[i]);
      const std::lock_guard hold(reporting);
      report(jobs[i], judged);
    }
  };
  const std::size_t count =
      std::min(jobs.size(), static_cast<std::size_t>(usable_cores() * kThreadsPerCore));
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < count; ++i) threads.emplace_back(work);
}

int serve(int in, int out_fd, Supervisor& supervisor) {
  LineReader reader(in);
  LineWriter out(out_fd);
  // Whoever asks bounds how much is under way; a thread each keeps this simple.
  std::vector<std::jthread> threads;
  while (const auto folder = reader.next()) {
    threads.emplace_back([&supervisor, &out, folder = *folder] {
      if (const Status judged = supervisor.judge(JobDirectory(folder)); !judged.ok()) {
        std::fprintf(stderr, "warpwright worker: %s: %s\n", folder.c_str(),
                     judged.error().message.c_str());
      }
      out.write(std::string(kDone) + folder);
    });
  }
  // Nobody waits for the rest. The runners die with this process.
  std::fflush(nullptr);
  std::_Exit(0);
}

}  // namespace warpwright::evaluate
