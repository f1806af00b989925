// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "llm/job.h"
#include "llm/spool.h"

namespace warpwright::llm {

/// Reads one job from standard input, performs it, stores the outcome in the spool and only then
/// reports on standard output, one JSON object per line. It lives on when nobody reads. The exit
/// code is 0 when the outcome was stored or reported.
int courier_main();

/// A courier's line to whoever started it. Never blocks for long, never fails: the reader may be
/// gone.
class Reporter {
 public:
  explicit Reporter(int fd);
  void tokens(std::int64_t output_tokens);
  void note(std::string_view text, std::chrono::milliseconds hold = {});
  void end(std::string_view how);
  void end_failed(std::string_view error, bool retry);
  [[nodiscard]] bool reader_gone() const;

 private:
  bool send(const std::string& line, int patience_ms);

  int fd_;
  std::chrono::steady_clock::time_point last_tokens_{};
};

/// How performing a job ended. A kept outcome goes to the spool: an answer, or a failure that cost
/// something.
struct Performed {
  SpooledOutcome spooled;
  bool keep = false;
};

/// A failure before anything was paid for.
Performed free_failure(std::string error, bool retry);
/// A failure after it.
Performed paid_failure(std::string error, const Usage& wasted,
                       std::optional<double> stated_usd = {});

Performed perform_http(const Job& job, Reporter& reporter);
Performed perform_exec(const Job& job, Reporter& reporter);

}  // namespace warpwright::llm
