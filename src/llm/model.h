// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/stop.h"

namespace warpwright::llm {

enum class Role : int { system = 0, user = 1, assistant = 2 };

struct Message {
  Role role = Role::user;
  std::string text;

  bool operator==(const Message&) const = default;
};

/// Tokens in one shape for all providers: prompt tokens are fresh + cache_read + cache_write;
/// reasoning is a part of output.
struct Usage {
  std::int64_t fresh = 0;
  std::int64_t cache_read = 0;
  std::int64_t cache_write = 0;
  std::int64_t output = 0;
  std::int64_t reasoning = 0;
  bool estimated = false;  ///< the provider did not say; counted from the text

  [[nodiscard]] std::int64_t total() const { return fresh + cache_read + cache_write + output; }
  Usage& operator+=(const Usage& other);
  bool operator==(const Usage&) const = default;
};

/// One question. `id` is unique within a run and stable across resumes, so that an answer that
/// was already paid for is found again.
struct Request {
  std::string id;
  std::vector<Message> messages;
  std::int64_t max_output_tokens = 0;  ///< 0 = the provider's default
  std::optional<double> temperature;
  int choice = 0;  ///< of several models, which one is asked
};

/// A complete answer.
struct Reply {
  std::string text;
  std::string reasoning;      ///< kept apart from the answer
  std::string model;          ///< as the provider names it
  std::string finish_reason;  ///< "stop", "length", ...
  Usage usage;
  double cost_usd = 0;
  bool unpriced = false;  ///< nobody knows what it cost: cost_usd is 0 for want of better
  bool operator==(const Reply&) const = default;
};

/// How asking ended.
enum class OutcomeKind : int {
  answered = 0,
  waiting = 1,  ///< the question is written down; an answer will come through `tell`
  failed = 2,   ///< no answer; `error` says why, `retry` whether another try may help
};

struct Outcome {
  OutcomeKind kind = OutcomeKind::failed;
  Reply reply;         ///< answered
  std::string error;   ///< failed: what was attempted, on what, what to do next
  bool retry = false;  ///< failed: a new attempt (newly budgeted) may succeed
  Usage wasted;        ///< failed: tokens that were produced and paid, e.g. of a cut stream
  double wasted_usd = 0;
  bool wasted_unpriced = false;  ///< as Reply::unpriced
};

/// What a caller may show while an answer is being written. Called from the asking thread.
struct Progress {
  std::int64_t output_tokens = 0;
  std::string note;  ///< "waiting 12 s: rate limit", or empty
};
using ProgressCallback = std::function<void(const Progress&)>;

/// Text in, text out. ask() blocks its thread; several threads may ask at once, up to
/// concurrency(). An answer that was paid for survives the death of this process: asking the
/// same id again finds it.
class Model {
 public:
  virtual ~Model() = default;
  /// "deepseek:deepseek-flash", for records.
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual int concurrency() const = 0;
  /// Upper bound of what one request can cost, for budgets that count what is in flight.
  [[nodiscard]] virtual Usage reserve(const Request& request) const = 0;
  [[nodiscard]] virtual double price_usd(const Usage& usage) const = 0;
  /// False: nobody told us what this model costs, price_usd() is 0 for want of better, and a
  /// budget in money cannot be kept.
  [[nodiscard]] virtual bool price_known() const { return true; }
  /// Of several models behind this one, the one that answers requests with that choice.
  [[nodiscard]] virtual const Model& chosen(int /*choice*/) const { return *this; }
  virtual Outcome ask(const Request& request, const ProgressCallback& progress,
                      const StopSignal& stop) = 0;
};

}  // namespace warpwright::llm
