// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "llm/detached.h"
#include "llm/job.h"
#include "llm/model.h"
#include "llm/price.h"
#include "llm/rate_limit.h"
#include "llm/spool.h"

namespace warpwright::llm {

/// A model whose requests cost something: each is performed by a courier process that outlives
/// us, and found again in the spool.
class CourierModel final : public Model {
 public:
  struct Setup {
    std::string name;
    int concurrency = 1;
    std::int64_t max_output_tokens = 0;
    std::optional<Price> price;
    double requests_per_minute = 0;
    double tokens_per_minute = 0;
    std::filesystem::path spool;
    std::vector<std::string> courier;
    std::vector<std::string> courier_env;
    const Clock* clock = nullptr;
    std::function<Result<Job>(const Request&)> make_job;
  };

  explicit CourierModel(Setup setup);

  [[nodiscard]] std::string name() const override { return setup_.name; }
  [[nodiscard]] int concurrency() const override { return setup_.concurrency; }
  [[nodiscard]] Usage reserve(const Request& request) const override;
  [[nodiscard]] double price_usd(const Usage& usage) const override;
  [[nodiscard]] bool price_known() const override { return setup_.price.has_value(); }
  Outcome ask(const Request& request, const ProgressCallback& progress,
              const StopSignal& stop) override;

 private:
  class Turn;
  struct Report;

  bool take_turn(const StopSignal& stop);
  void give_turn();
  [[nodiscard]] std::optional<Outcome> stored(const std::string& id,
                                              const std::string& sha256) const;
  [[nodiscard]] std::int64_t longest_answer(const Request& request) const;
  bool wait_for_rate(const Request& request, const ProgressCallback& progress,
                     const StopSignal& stop);
  std::optional<Outcome> send_courier(const Request& request, const std::string& sha256,
                                      const ProgressCallback& progress, const StopSignal& stop);
  /// Until the courier says how it ended, or is gone. False: stopped before that.
  bool listen(const FileDescriptor& out, Report& report, const ProgressCallback& progress,
              const StopSignal& stop);
  void take_line(std::string_view line, Report& report, const ProgressCallback& progress);

  Setup setup_;
  Spool spool_;
  SystemClock system_clock_;
  const Clock& clock_;
  RateLimit rate_;
  std::mutex mutex_;
  int turns_left_;
};

}  // namespace warpwright::llm
