// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <random>
#include <thread>

#include "base/text.h"
#include "llm/courier.h"
#include "llm/http.h"
#include "llm/sse.h"
#include "llm/wire.h"

namespace warpwright::llm {

namespace {

using Milliseconds = std::chrono::milliseconds;

/// Reads a 2xx body as it comes: as a stream of events, or as one document from servers that do
/// not stream. The bytes decide, not the content type, because servers mislabel both.
class BodyReader {
 public:
  BodyReader(const WireFormat& wire, Reporter& reporter)
      : parser_(wire.parser()),
        events_([this](auto name, auto data) { return take_event(name, data); }),
        reporter_(reporter) {}

  bool feed(std::string_view piece) {
    bytes_ += piece.size();
    if (form_ == Form::unknown) {
      start_ += piece;
      decide();
      if (form_ == Form::unknown) return true;
      piece = start_;
    }
    if (form_ == Form::events) return events_.feed(piece);
    if (form_ == Form::other) return false;
    if (piece.data() != start_.data()) start_ += piece;
    return true;
  }

  /// After the last byte. Half an event at the end of a stream is a cut, not a new problem.
  void finish() {
    if (form_ == Form::events && problem_.empty()) {
      [[maybe_unused]] const bool going_on = events_.finish();
      problem_.clear();
    }
    if (form_ != Form::document) return;
    if (const Status status = parser_->document(start_); !status.ok()) {
      problem_ = status.error().message;
    }
  }

  [[nodiscard]] PartialAnswer answer() const { return parser_->answer(); }
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] bool is_foreign() const { return form_ == Form::other || form_ == Form::unknown; }
  [[nodiscard]] bool is_document() const { return form_ == Form::document; }
  [[nodiscard]] std::string_view start() const { return std::string_view(start_).substr(0, 300); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  enum class Form { unknown, events, document, other };

  void decide() {
    const std::string_view text = trimmed(start_);
    if (text.empty()) return;
    if (text[0] == '{') {
      form_ = Form::document;
    } else if (text.starts_with("data:") || text.starts_with("event:") || text[0] == ':' ||
               text.starts_with("id:") || text.starts_with("retry:") ||
               text.starts_with("\xEF\xBB\xBF")) {
      form_ = Form::events;
    } else if (text.size() >= 8) {
      form_ = Form::other;
    }
  }

  bool take_event(std::string_view name, std::string_view data) {
    if (const Status status = parser_->event(name, data); !status.ok()) {
      problem_ = status.error().message;
      return false;
    }
    const PartialAnswer& now = parser_->answer();
    if (now.produced()) reporter_.tokens(estimated_tokens(now.text.size() + now.reasoning.size()));
    return now.error.empty();
  }

  std::unique_ptr<AnswerParser> parser_;
  SseParser events_;
  Reporter& reporter_;
  Form form_ = Form::unknown;
  std::string start_;
  std::string problem_;
  std::size_t bytes_ = 0;
};

/// What one try came to: an end, or a reason to try again.
struct Try {
  std::optional<Performed> end;
  std::string why;
  RetryHints hints;
  bool rate_limited = false;
};

Try ended(Performed performed) { return Try{.end = std::move(performed), .why = {}, .hints = {}}; }

Try again(std::string why, const RetryHints& hints = {}, bool rate_limited = false) {
  return Try{.end = {}, .why = std::move(why), .hints = hints, .rate_limited = rate_limited};
}

/// Tokens of an attempt that gave no answer. What the provider counted before it broke off may be
/// less than what we saw.
Usage wasted_usage(const Job& job, const PartialAnswer& answer) {
  const Usage seen = estimated_usage(static_cast<std::size_t>(job.prompt_bytes), answer);
  if (!answer.usage) return seen;
  if (answer.finished || answer.usage->output >= seen.output) return *answer.usage;
  Usage usage = *answer.usage;
  usage.output = seen.output;
  usage.reasoning = std::max(usage.reasoning, seen.reasoning);
  usage.estimated = true;
  return usage;
}

std::string at(const Job& job) { return job.name + " at " + job.url + ": "; }

std::string advice(int status) {
  switch (status) {
    case 401:
    case 403:
      return " (check the key and what it may be used for)";
    case 402:
      return " (the account has no balance)";
    case 404:
      return " (check the model's name and the base URL)";
    default:
      return "";
  }
}

Try judge_status(const Job& job, const HttpResponse& response) {
  if (response.status / 100 == 3) {
    return ended(free_failure(at(job) + "redirected to '" + response.location +
                                  "'; keys are not sent on: use that base URL if it is right",
                              false));
  }
  const ProviderError error = error_of_document(response.error_body);
  const std::string what = "HTTP " + std::to_string(response.status) +
                           (error.message.empty() ? "" : ": " + error.message);
  // Worded as a rate limit by the service, but no waiting helps.
  const bool broke = error.code == "insufficient_quota";
  if (!broke && may_retry(response.status, response.hints)) {
    return again(what, response.hints, response.status == 429);
  }
  return ended(free_failure(at(job) + what + advice(broke ? 402 : response.status), false));
}

Performed answered(const Job& job, PartialAnswer answer) {
  tidy_answer(answer);
  if (answer.text.empty() && answer.finish_reason != "length") {
    return paid_failure(at(job) + "an empty answer (finish reason '" + answer.finish_reason + "')",
                        wasted_usage(job, answer), answer.cost_usd);
  }
  Performed performed;
  performed.keep = true;
  performed.spooled.stated_usd = answer.cost_usd;
  Outcome& outcome = performed.spooled.outcome;
  outcome.kind = OutcomeKind::answered;
  outcome.reply.usage = answer.usage
                            ? *answer.usage
                            : estimated_usage(static_cast<std::size_t>(job.prompt_bytes), answer);
  outcome.reply.text = std::move(answer.text);
  outcome.reply.reasoning = std::move(answer.reasoning);
  outcome.reply.model = answer.model.empty() ? job.name : answer.model;
  outcome.reply.finish_reason = answer.finish_reason.empty() ? "stop" : answer.finish_reason;
  return performed;
}

/// The provider began a 2xx answer. From here on somebody may be paying.
Try judge_answer(const Job& job, const HttpResponse& response, const BodyReader& reader) {
  PartialAnswer answer = reader.answer();
  if (!answer.error.empty() || answer.finish_reason == "error") {
    const std::string what = "the provider broke off: " + shortened(answer.error, 600);
    if (answer.produced() || answer.usage) {
      return ended(paid_failure(at(job) + what, wasted_usage(job, answer), answer.cost_usd));
    }
    if (answer.error_status == 0 || may_retry(answer.error_status, {})) {
      return again(what, response.hints, answer.error_status == 429);
    }
    return ended(free_failure(at(job) + what + advice(answer.error_status), false));
  }
  const bool all_there = answer.finished || (!answer.finish_reason.empty() && answer.produced());
  if (reader.problem().empty() && all_there) {
    if (!answer.produced() && !answer.usage && answer.finish_reason.empty()) {
      return ended(paid_failure(at(job) + "a reply without a choice: " + clean_utf8(reader.start()),
                                wasted_usage(job, answer)));
    }
    return ended(answered(job, std::move(answer)));
  }
  // Blank lines are how some services keep a waiting connection open: not foreign, only nothing.
  if (response.end == HttpEnd::complete && reader.is_foreign() &&
      !trimmed(reader.start()).empty()) {
    return ended(free_failure(at(job) + "not an answer of this protocol (content type '" +
                                  response.content_type + "'): '" + clean_utf8(reader.start()) +
                                  "'; check the base URL",
                              false));
  }
  const bool understood = reader.problem().empty() || response.end == HttpEnd::cut;
  std::string why = understood ? response.why : reader.problem();
  if (why.empty()) why = "the stream ended before its end marker";
  const Usage wasted = wasted_usage(job, answer);
  return ended(paid_failure(at(job) + "the answer broke off: " + why, wasted, answer.cost_usd));
}

Try judge(const Job& job, const HttpResponse& response, const BodyReader& reader) {
  const bool fine = response.status / 100 == 2;
  // A page of another protocol is refused while it comes, and was nobody's paid answer.
  if (fine && response.end == HttpEnd::refused && reader.is_foreign() && reader.bytes() > 0) {
    HttpResponse whole = response;
    whole.end = HttpEnd::complete;
    return judge_answer(job, whole, reader);
  }
  if (fine) return judge_answer(job, response, reader);
  if (response.status > 0 && response.end != HttpEnd::refused) return judge_status(job, response);
  switch (response.end) {
    case HttpEnd::not_sent:
    case HttpEnd::no_response:
      return again(response.why);
    case HttpEnd::idle:
    case HttpEnd::timeout:
      // The provider has the question and may be thinking at our expense.
      return ended(paid_failure(at(job) + "no answer in time: " + response.why,
                                wasted_usage(job, reader.answer())));
    case HttpEnd::misplaced:
      return ended(free_failure(
          at(job) + response.why + " (check the base URL, the proxy and the certificate file)",
          false));
    default:
      return ended(free_failure(at(job) + response.why, false));
  }
}

Try try_once(const Job& job, const WireFormat& wire, Reporter& reporter) {
  BodyReader reader(wire, reporter);
  HttpRequest request{.url = job.url,
                      .headers = job.headers,
                      .body = job.body,
                      .proxy = job.proxy,
                      .ca_file = job.ca_file,
                      .ca_dir = job.ca_dir,
                      .connect_timeout = job.timeouts.connect,
                      .idle_timeout = job.timeouts.idle,
                      .total_timeout = job.timeouts.total,
                      .on_body = [&](std::string_view piece) { return reader.feed(piece); }};
  const HttpResponse response = http_post(request);
  if (response.status / 100 == 2) reader.finish();
  return judge(job, response, reader);
}

std::string seconds_text(Milliseconds wait) {
  const auto tenths = (wait.count() + 99) / 100;
  if (tenths % 10 == 0) return std::to_string(tenths / 10) + " s";
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

/// False when nobody waits for the answer any more. Nothing has been paid yet, so giving up is
/// free, and going on would spend money after the user said stop.
bool pause(Milliseconds wait, const Reporter& reporter) {
  const auto end = std::chrono::steady_clock::now() + wait;
  for (;;) {
    if (reporter.reader_gone()) return false;
    const auto left = end - std::chrono::steady_clock::now();
    if (left.count() <= 0) return true;
    std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(left, Milliseconds(100)));
  }
}

}  // namespace

Performed perform_http(const Job& job, Reporter& reporter) {
  const WireFormat* wire = find_wire(job.wire);
  if (wire == nullptr) return free_failure("no wire format '" + job.wire + "'", false);
  std::minstd_rand random(std::random_device{}());
  std::uniform_real_distribution<double> jitter(0, 1);
  for (int tries = 1;; ++tries) {
    Try result = try_once(job, *wire, reporter);
    if (result.end) return std::move(*result.end);
    if (tries >= job.max_tries) {
      return free_failure(at(job) + result.why + " (after " + std::to_string(tries) + " tries)",
                          true);
    }
    auto wait = retry_wait(tries + 1, result.hints, jitter(random));
    wait = Milliseconds(
        static_cast<std::int64_t>(static_cast<double>(wait.count()) * job.delay_scale));
    const std::string why =
        result.rate_limited ? "rate limited" : shortened(redacted(result.why, job.secrets), 200);
    reporter.note("waiting " + seconds_text(wait) + ": " + why,
                  result.rate_limited ? wait : Milliseconds(0));
    if (!pause(wait, reporter)) return free_failure("stopped while waiting to try again", true);
  }
}

}  // namespace warpwright::llm
