// SPDX-License-Identifier: Apache-2.0
#include "llm/courier.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <curl/curl.h>

#include "base/files.h"
#include "base/text.h"
#include "llm/json_reading.h"

namespace warpwright::llm {

namespace {

constexpr std::size_t kMaxJobBytes = std::size_t{256} << 20;
constexpr int kFinalPatienceMs = 2000;
constexpr std::size_t kMaxReportedError = 1500;  // a line must fit in one atomic pipe write

/// A reader that only probes the lock may hold it for an instant, so one refusal proves nothing.
Result<std::optional<FileLock>> lock_attempt(const Spool& spool, const std::string& id) {
  for (int i = 0; i < 10; ++i) {
    WW_TRY(auto lock, FileLock::acquire(spool.lock_path(id)));
    if (lock) return lock;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return std::optional<FileLock>();
}

void redact(Performed& performed, const Job& job) {
  Outcome& outcome = performed.spooled.outcome;
  for (std::string* text : {&outcome.error, &outcome.reply.text, &outcome.reply.reasoning,
                            &outcome.reply.model, &outcome.reply.finish_reason}) {
    *text = redacted(std::move(*text), job.secrets);
  }
}

/// A disk that got full after all, or a folder that is away for a moment, should not cost a paid
/// answer.
Status store_patiently(const Spool& spool, const Job& job, const SpooledOutcome& spooled,
                       ReservedFile reserved) {
  constexpr int kTries = 30;
  std::optional<ReservedFile> room(std::move(reserved));
  Status stored = spool.store(job.id, job.request_sha256, spooled, room);
  for (int i = 1; i < kTries && !stored.ok(); ++i) {
    std::this_thread::sleep_for(std::chrono::duration<double>(job.delay_scale));
    stored = spool.store(job.id, job.request_sha256, spooled, room);
  }
  return stored;
}

/// The request itself, with the attempt's lock held.
int perform(const Job& job, const Spool& spool, Reporter& reporter) {
  auto room = spool.reserve(job.id, job.max_output_tokens);
  if (!room.ok()) {
    reporter.end_failed("nothing was asked, for the answer could not be kept: " +
                            room.error().message + "; 'resume' asks when that is mended",
                        false);
    return 0;
  }
  Performed performed =
      job.wire == "exec" ? perform_exec(job, reporter) : perform_http(job, reporter);
  redact(performed, job);
  const Outcome& outcome = performed.spooled.outcome;
  if (!performed.keep) {
    reporter.end_failed(outcome.error, outcome.retry);
    return 0;
  }
  const Status stored = store_patiently(spool, job, performed.spooled, std::move(room).value());
  if (!stored.ok()) {
    reporter.end_failed("an answer came but could not be kept: " + stored.error().message, false);
    return 1;
  }
  reporter.end("stored");
  return 0;
}

int run(const Job& job, Reporter& reporter) {
  const Spool spool(job.spool);
  const auto lock = lock_attempt(spool, job.id);
  if (!lock.ok()) {
    reporter.end_failed("nothing was asked, for the spool cannot be used: " + lock.error().message,
                        false);
    return 0;
  }
  if (!lock->has_value()) {
    reporter.end("busy");
    return 0;
  }
  // Another courier may have finished between our starter's look and our lock.
  if (const auto before = spool.load(job.id, job.request_sha256); before.ok() && *before) {
    reporter.end("stored");
    return 0;
  }
  return perform(job, spool, reporter);
}

}  // namespace

Reporter::Reporter(int fd) : fd_(fd) { ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK); }

bool Reporter::send(const std::string& line, int patience_ms) {
  const std::string whole = line + "\n";
  for (;;) {
    if (::write(fd_, whole.data(), whole.size()) >= 0) return true;
    if (errno == EINTR) continue;
    if (errno != EAGAIN || patience_ms <= 0) return false;
    pollfd watched{fd_, POLLOUT, 0};
    ::poll(&watched, 1, 50);
    patience_ms -= 50;
  }
}

void Reporter::tokens(std::int64_t output_tokens) {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_tokens_ < std::chrono::milliseconds(100)) return;
  last_tokens_ = now;
  send(dump_json(Json{{"tokens", output_tokens}}), 0);
}

void Reporter::note(std::string_view text, std::chrono::milliseconds hold) {
  send(dump_json(Json{{"note", text}, {"hold_ms", hold.count()}}), 0);
}

void Reporter::end(std::string_view how) { send(dump_json(Json{{"end", how}}), kFinalPatienceMs); }

void Reporter::end_failed(std::string_view error, bool retry) {
  const std::string text = shortened(error, kMaxReportedError);
  send(dump_json(Json{{"end", "failed"}, {"error", text}, {"retry", retry}}), kFinalPatienceMs);
}

bool Reporter::reader_gone() const {
  pollfd watched{fd_, 0, 0};
  return ::poll(&watched, 1, 0) > 0 && (watched.revents & (POLLERR | POLLHUP)) != 0;
}

Performed free_failure(std::string error, bool retry) {
  Performed performed;
  performed.spooled.outcome.error = std::move(error);
  performed.spooled.outcome.retry = retry;
  return performed;
}

Performed paid_failure(std::string error, const Usage& wasted, std::optional<double> stated_usd) {
  Performed performed = free_failure(std::move(error), true);
  performed.spooled.outcome.wasted = wasted;
  performed.spooled.stated_usd = stated_usd;
  performed.keep = true;
  return performed;
}

int courier_main() {
  ::signal(SIGPIPE, SIG_IGN);
  // The terminal's signals do not reach this session; a polite `kill` of the asking side's whole
  // tree should not throw away an answer that is being paid for either.
  ::signal(SIGHUP, SIG_IGN);
#ifndef __SANITIZE_ADDRESS__
  ::prctl(PR_SET_DUMPABLE, 0);  // the key is in this memory
#endif
  auto text = read_all(STDIN_FILENO, kMaxJobBytes);
  if (!text.ok()) return 2;
  auto job = job_from_json(*text);
  std::fill(text->begin(), text->end(), '\0');
  if (!job.ok() || !Spool::is_valid_id(job->id)) {
    std::fprintf(stderr, "courier: %s\n", job.ok() ? "bad id" : job.error().message.c_str());
    return 2;
  }
  Reporter reporter(STDOUT_FILENO);
  ::curl_global_init(CURL_GLOBAL_DEFAULT);
  const int code = run(*job, reporter);
  ::curl_global_cleanup();
  return code;
}

}  // namespace warpwright::llm
