// SPDX-License-Identifier: Apache-2.0
#include "evaluate/replay_only.h"

#include <algorithm>

#include "base/files.h"
#include "evaluate/careful_run.h"
#include "evaluate/judgement.h"
#include "evaluate/session.h"

namespace warpwright::evaluate {

namespace {

constexpr double kLongestRunSeconds = 30;
constexpr std::uint64_t kWatchedBytes = 1 << 20;

}  // namespace

std::uint64_t watched_bytes(const Prepared& prepared) {
  return std::max(kWatchedBytes, small_bytes(prepared));
}

/// The same candidate, built from the same cache.
Result<std::vector<std::string>> replay_command(const Prepared& prepared, const Context& context,
                                                const std::filesystem::path& folder) {
  JobRequest request = prepared.request();
  request.rival.reset();
  request.device = prepared.target.choice.device;
  request.seed = prepared.seed;
  request.sanitize = "off";
  request.counters = false;
  request.cache = absolute_path(cache_of(prepared.request(), context));
  const JobDirectory job(folder / "job");
  WW_CHECK(job.write_request(request));
  std::error_code error;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return Error{"this program does not find itself: " + error.message()};
  return std::vector<std::string>{own.string(), "worker", "--replay-only", job.path().string()};
}

Status replay_only(const JobDirectory& job, const std::string& only_size, Station& station,
                   const StopSignal& stop) {
  WW_TRY(JobRequest request, job.read_request());
  Context context = make_context(request, job.path() / "scratch", station, stop);
  const auto source = std::make_shared<const Source>(Source{std::move(request)});
  auto made = prepare(source, context);
  if (!made.ok()) return Error{reason_of(made.error())};
  Prepared& prepared = *made;
  prepared.target.choice.bare = true;
  WW_TRY(const auto lease, station.lease(prepared.target, context.deadline.remaining_s()));
  Session session{.prepared = prepared, .context = context, .device = *lease.device()};
  WW_TRY(const auto unloadable, load(session));
  if (unloadable) return Error{unloadable->message};
  std::vector<verify::Case> cases = small_cases(prepared, watched_bytes(prepared));
  if (!only_size.empty()) {
    const TaskSize* size = size_labelled(prepared.task(), only_size);
    if (size == nullptr) return Error{"the task has no size \"" + only_size + "\""};
    cases = {{size, nullptr}};
  }
  for (const verify::Case& item : cases) {
    WW_TRY(auto loaded, load_case(session, item, prepared.seed));
    WW_TRY(const auto report,
           loaded.replay->run({.poison_seed = prepared.seed, .limit_s = kLongestRunSeconds}));
    if (!report.faults.empty()) return Error{report.faults.front().message};
  }
  return {};
}

}  // namespace warpwright::evaluate
