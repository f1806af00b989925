// SPDX-License-Identifier: Apache-2.0
#include "evaluate/mailbox.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <poll.h>

#include "base/files.h"
#include "base/sha256.h"

namespace warpwright::evaluate {

namespace fs = std::filesystem;

namespace {

constexpr const char* kPending = "pending";
constexpr const char* kJudged = "done";
constexpr const char* kFailed = "failed";
constexpr std::size_t kNameDigits = 16;

bool there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// The first free one of JOB.1, JOB.2, ...
fs::path free_name(const fs::path& folder, const std::string& job) {
  for (int i = 1;; ++i) {
    fs::path path = folder / (job + "." + std::to_string(i));
    if (!there(path)) return path;
  }
}

/// Whoever brings results back may copy instead of rename: half a file is none yet.
bool being_written(const fs::path& file) {
  constexpr std::chrono::seconds kCopyTime{10};
  std::error_code error;
  const auto written = fs::last_write_time(file, error);
  return !error && fs::file_time_type::clock::now() - written < kCopyTime;
}

/// Sleeps, unless a stop comes.
void glance_away(const StopSignal& stop, std::chrono::milliseconds duration) {
  pollfd watched{stop.fd(), POLLIN, 0};
  ::poll(&watched, 1, static_cast<int>(duration.count()));
}

}  // namespace

std::string mailbox_job_name(const JobRequest& request, int repeat) {
  JobRequest nameless = request;
  nameless.id.clear();
  // Lengths first: no two requests give the same text.
  std::string whole = request_to_json(nameless);
  whole += "\n" + std::to_string(request.source.size()) + "\n" + request.source;
  if (request.rival) whole += *request.rival;
  const char* kind = request.rival ? "-pair" : request.is_baseline ? "-baseline" : "";
  const std::string which = repeat > 0 ? "-again" + std::to_string(repeat) : "";
  return request.task.name + kind + "-" + sha256_hex(whole).substr(0, kNameDigits) + which;
}

MailboxEvaluator::MailboxEvaluator(MailboxOptions options) : options_(std::move(options)) {
  // A path on this machine means nothing to whoever judges: beside pending, wherever that is.
  options_.pattern.cache = "../../cache";
}

/// Written beside, then renamed: whoever carries pending/* away never sees half a job.
Status MailboxEvaluator::leave(const std::string& name, const JobRequest& request) const {
  const fs::path pending = options_.folder / kPending;
  WW_CHECK(make_directories(pending));
  WW_CHECK(make_directories(options_.folder / kJudged));
  // Of this thread alone: another one, or another process, may be leaving the same job.
  std::string place = (options_.folder / ("." + name + ".XXXXXX")).string();
  if (::mkdtemp(place.data()) == nullptr) {
    return Error{"cannot make a folder in " + options_.folder.string() + ": " +
                 std::strerror(errno)};
  }
  const fs::path draft(place);
  std::error_code error;
  fs::permissions(draft, fs::perms(0755), error);  // whoever carries it may be another user
  WW_CHECK(JobDirectory(draft).write_request(request));
  fs::rename(draft, pending / name, error);
  if (!error) return {};
  std::error_code ignored;
  fs::remove_all(draft, ignored);
  // Another one was quicker. By now its job may have been judged, and be gone from there.
  if (error == std::errc::directory_not_empty || error == std::errc::file_exists) return {};
  return Error{"cannot leave the job " + (pending / name).string() + ": " + error.message()};
}

/// The result, where there is one; its folder goes from pending to done, and what is no verdict is
/// put aside.
Result<std::optional<Evaluation>> MailboxEvaluator::collect(const JobDirectory& job,
                                                            const std::string& name) const {
  if (!job.has_result()) return std::optional<Evaluation>{};
  auto result = job.read_result();
  if (!result.ok() && being_written(job.path() / "result.json")) return std::optional<Evaluation>{};
  const fs::path pending = options_.folder / kPending / name;
  const fs::path done = options_.folder / kJudged / name;
  std::error_code ignored;  // another process may do the same at the same time
  if (job.path() == pending) {
    fs::rename(pending, done, ignored);
  } else {
    fs::remove_all(pending, ignored);
  }
  if (!result.ok() || result->verdict == Verdict::harness_error) {
    WW_CHECK(make_directories(options_.folder / kFailed));
    fs::rename(done, free_name(options_.folder / kFailed, name), ignored);
  }
  if (!result.ok()) return result.error();
  return std::optional(std::move(*result));
}

JobRequest MailboxEvaluator::whole(const EvaluationRequest& request) const {
  JobRequest full = options_.pattern;
  full.id = request.id;
  full.source = request.source;
  full.is_baseline = request.is_baseline;
  full.rival = request.rival;
  full.rival_is_baseline = request.rival_is_baseline;
  return full;
}

/// One that cannot be left now is left, or refused with the reason, when it is asked for.
void MailboxEvaluator::expect(const EvaluationRequest& request) {
  const JobRequest full = whole(request);
  const std::string name = mailbox_job_name(full, request.repeat);
  if (there(options_.folder / kJudged / name) || there(options_.folder / kPending / name)) return;
  static_cast<void>(leave(name, full));
}

Result<Evaluation> MailboxEvaluator::evaluate(const EvaluationRequest& request,
                                              const StopSignal& stop) {
  const JobRequest full = whole(request);
  const std::string name = mailbox_job_name(full, request.repeat);
  const JobDirectory done(options_.folder / kJudged / name);
  const JobDirectory pending(options_.folder / kPending / name);
  for (;;) {
    for (const JobDirectory& job : {done, pending}) {
      WW_TRY(auto result, collect(job, name));
      if (result) return std::move(*result);
    }
    if (stop.requested()) return Error{"stopped while waiting for " + pending.path().string()};
    // Also when another process put a failed judge's result aside.
    if (!there(pending.path()) && !there(done.path())) WW_CHECK(leave(name, full));
    glance_away(stop, options_.glance);
  }
}

}  // namespace warpwright::evaluate
