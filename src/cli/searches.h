// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "cli/settings.h"
#include "core/budget.h"
#include "mcp/workshop.h"

namespace warpwright::cli {

/// The searches that a server works on for its clients: few at a time, and all of them together
/// within one budget. Thread-safe.
class Searches {
 public:
  /// The limits of the settings are those of all searches together; where they say nothing, small
  /// ones hold.
  Searches(const Settings& settings, std::filesystem::path archive);
  ~Searches();
  Searches(const Searches&) = delete;
  Searches& operator=(const Searches&) = delete;

  /// Starts one; its run's id. The error names the limit that forbids it.
  Result<std::string> start(const mcp::SearchWish& wish);
  /// Promises judgements of other work within the same budget, and says later how many there were.
  Status promise(std::int64_t evaluations);
  void settle(std::int64_t promised, std::int64_t judged);
  std::optional<mcp::SearchStand> stand(const std::string& run);
  Status stop(const std::string& run);
  /// Ends all and waits for them.
  void end();

 private:
  struct Search;
  Result<Settings> settings_for(const mcp::SearchWish& wish) const;
  Status affordable(const Cost& cost) const;
  Status admit(const Cost& cost);
  void work(Search& search);

  const Settings& settings_;
  std::filesystem::path archive_;
  std::mutex mutex_;
  Budget budget_;
  double wall_s_;                                            ///< longest time of one search
  std::map<std::string, std::shared_ptr<Search>> searches_;  ///< by run
};

}  // namespace warpwright::cli
