// SPDX-License-Identifier: Apache-2.0
#include "llm/courier_model.h"

#include <algorithm>
#include <cerrno>

#include <poll.h>
#include <unistd.h>

#include "base/process.h"
#include "llm/answer.h"
#include "llm/json_reading.h"

namespace warpwright::llm {

namespace {

using Milliseconds = std::chrono::milliseconds;

// Chat templates wrap each message in a few tokens that no byte of it accounts for.
constexpr std::int64_t kTokensPerMessage = 16;
constexpr std::int64_t kTokensPerRequest = 64;

Outcome failure(std::string error, bool retry) {
  Outcome outcome;
  outcome.error = std::move(error);
  outcome.retry = retry;
  return outcome;
}

Outcome stopped() { return failure("stopped", false); }

/// Sleeps a short part of the wait, because a test's clock may run faster than ours; returns false
/// at once when the stop is raised.
bool sleep_unless(const StopSignal& stop, Milliseconds wait) {
  pollfd watched{stop.fd(), POLLIN, 0};
  ::poll(&watched, 1, static_cast<int>(std::clamp<std::int64_t>(wait.count(), 1, 100)));
  return !stop.requested();
}

}  // namespace

/// What a courier said until it ended.
struct CourierModel::Report {
  std::string pending;
  std::string end;
  std::string error;
  bool retry = false;
  Progress progress;
};

/// One of the model's concurrent requests.
class CourierModel::Turn {
 public:
  Turn(CourierModel& model, const StopSignal& stop)
      : model_(model), taken_(model.take_turn(stop)) {}
  ~Turn() {
    if (taken_) model_.give_turn();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  [[nodiscard]] bool taken() const { return taken_; }

 private:
  CourierModel& model_;
  bool taken_;
};

CourierModel::CourierModel(Setup setup)
    : setup_(std::move(setup)),
      spool_(setup_.spool),
      clock_(setup_.clock != nullptr ? *setup_.clock : system_clock_),
      rate_(setup_.requests_per_minute, setup_.tokens_per_minute),
      turns_left_(setup_.concurrency) {}

std::int64_t CourierModel::longest_answer(const Request& request) const {
  return request.max_output_tokens > 0 ? request.max_output_tokens : setup_.max_output_tokens;
}

Usage CourierModel::reserve(const Request& request) const {
  Usage usage;
  // No tokenizer makes more tokens than bytes.
  std::int64_t prompt = kTokensPerRequest;
  for (const Message& message : request.messages) {
    prompt += static_cast<std::int64_t>(message.text.size()) + kTokensPerMessage;
  }
  const bool write_is_dearer = setup_.price && setup_.price->cache_write > setup_.price->fresh;
  (write_is_dearer ? usage.cache_write : usage.fresh) = prompt;
  usage.output = longest_answer(request);
  usage.estimated = true;
  return usage;
}

double CourierModel::price_usd(const Usage& usage) const {
  return setup_.price ? cost_usd(*setup_.price, usage) : 0.0;
}

Outcome CourierModel::ask(const Request& request, const ProgressCallback& progress,
                          const StopSignal& stop) {
  if (!Spool::is_valid_id(request.id)) {
    return failure("request id '" + request.id + "' may only have letters, digits, '.', '_', '-'",
                   false);
  }
  const std::string sha256 = request_sha256(setup_.name, longest_answer(request), request.messages);
  if (auto outcome = stored(request.id, sha256)) return *outcome;
  const Turn turn(*this, stop);
  if (!turn.taken()) return stopped();
  bool told = false;
  for (;;) {
    if (stop.requested()) return stopped();
    // The lock first: a courier lets go of it only after its outcome is there.
    const bool busy = FileLock::is_held(spool_.lock_path(request.id));
    if (auto outcome = stored(request.id, sha256)) return *outcome;
    if (busy) {
      if (progress && !told) progress({0, "waiting for a request that is already under way"});
      told = true;
      sleep_unless(stop, Milliseconds(50));
      continue;
    }
    if (auto outcome = send_courier(request, sha256, progress, stop)) return *outcome;
  }
}

bool CourierModel::take_turn(const StopSignal& stop) {
  while (!stop.requested()) {
    {
      const std::scoped_lock guard(mutex_);
      if (turns_left_ > 0) {
        --turns_left_;
        return true;
      }
    }
    sleep_unless(stop, Milliseconds(20));
  }
  return false;
}

void CourierModel::give_turn() {
  const std::scoped_lock guard(mutex_);
  ++turns_left_;
}

std::optional<Outcome> CourierModel::stored(const std::string& id,
                                            const std::string& sha256) const {
  auto loaded = spool_.load(id, sha256);
  if (!loaded.ok()) return failure(loaded.error().message, false);
  if (!loaded->has_value()) return std::nullopt;
  SpooledOutcome spooled = std::move(**loaded);
  Outcome& outcome = spooled.outcome;
  const bool answered = outcome.kind == OutcomeKind::answered;
  const Usage& usage = answered ? outcome.reply.usage : outcome.wasted;
  const double cost = spooled.stated_usd ? *spooled.stated_usd : price_usd(usage);
  (answered ? outcome.reply.cost_usd : outcome.wasted_usd) = cost;
  (answered ? outcome.reply.unpriced : outcome.wasted_unpriced) =
      !spooled.stated_usd && !price_known() && usage.total() > 0;
  return outcome;
}

bool CourierModel::wait_for_rate(const Request& request, const ProgressCallback& progress,
                                 const StopSignal& stop) {
  const Usage bound = reserve(request);
  const std::int64_t tokens =
      estimated_tokens(static_cast<std::size_t>(bound.total() - bound.output)) + bound.output;
  bool told = false;
  while (!stop.requested()) {
    const Nanoseconds wait = rate_.admit(clock_.now(), tokens);
    if (wait.count() == 0) return true;
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(wait).count();
    if (progress && !told) {
      progress({0, "waiting " + std::to_string(seconds) + " s: rate limit"});
    }
    told = true;
    sleep_unless(stop, std::chrono::ceil<Milliseconds>(wait));
  }
  return false;
}

std::optional<Outcome> CourierModel::send_courier(const Request& request, const std::string& sha256,
                                                  const ProgressCallback& progress,
                                                  const StopSignal& stop) {
  auto job = setup_.make_job(request);
  if (!job.ok()) return failure(job.error().message, false);
  job->request_sha256 = sha256;
  job->max_output_tokens = longest_answer(request);
  if (!wait_for_rate(request, progress, stop)) return stopped();
  auto courier = start_detached(setup_.courier, setup_.courier_env);
  if (!courier.ok()) return failure("cannot ask " + name() + ": " + courier.error().message, false);
  // A courier that died before reading shows at its end, below.
  [[maybe_unused]] const Status sent = write_to_pipe(courier->in, job_to_json(*job));
  courier->in.reset();
  Report report;
  if (!listen(courier->out, report, progress, stop)) return stopped();
  if (auto outcome = stored(request.id, sha256)) return outcome;
  if (report.end == "busy") return std::nullopt;
  if (report.end == "stored") {
    return failure("the answer to request '" + request.id + "' was kept in '" +
                       spool_.outcome_path(request.id).string() + "' but is gone",
                   false);
  }
  if (report.end == "failed") return failure(report.error, report.retry);
  Outcome lost = failure("the courier for request '" + request.id + "' to " + name() +
                             " was killed or could not run; what it was sent may have been paid",
                         true);
  lost.wasted.fresh = estimated_tokens(static_cast<std::size_t>(job->prompt_bytes));
  lost.wasted.output = report.progress.output_tokens;
  lost.wasted.estimated = true;
  lost.wasted_usd = price_usd(lost.wasted);
  lost.wasted_unpriced = !price_known();
  return lost;
}

bool CourierModel::listen(const FileDescriptor& out, Report& report,
                          const ProgressCallback& progress, const StopSignal& stop) {
  for (;;) {
    pollfd watched[2] = {{out.get(), POLLIN, 0}, {stop.fd(), POLLIN, 0}};
    ::poll(watched, 2, 1000);
    if (stop.requested()) return false;
    if (watched[0].revents == 0) continue;
    char buffer[1 << 12];
    const ssize_t got = ::read(out.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    report.pending.append(buffer, static_cast<std::size_t>(got));
    for (auto end = report.pending.find('\n'); end != std::string::npos;
         end = report.pending.find('\n')) {
      take_line(std::string_view(report.pending).substr(0, end), report, progress);
      report.pending.erase(0, end + 1);
    }
    if (!report.end.empty()) return true;
  }
}

void CourierModel::take_line(std::string_view line, Report& report,
                             const ProgressCallback& progress) {
  const Json message = parse_json(line);
  if (const std::string end = text_of(member(message, "end")); !end.empty()) {
    report.end = end;
    report.error = text_of(member(message, "error"));
    report.retry = member(message, "retry") == Json(true);
    return;
  }
  report.progress.note = text_of(member(message, "note"));
  const std::int64_t tokens = count_of(member(message, "tokens"));
  report.progress.output_tokens = std::max(report.progress.output_tokens, tokens);
  if (const std::int64_t hold = count_of(member(message, "hold_ms")); hold > 0) {
    rate_.hold(clock_.now() + Milliseconds(hold));
  }
  if (progress) progress(report.progress);
}

}  // namespace warpwright::llm
