// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/stop.h"
#include "cli/searches.h"
#include "cli/session.h"
#include "cli/settings.h"
#include "evaluate/evaluator.h"
#include "evaluate/worker_client.h"
#include "mcp/workshop.h"

namespace warpwright::cli {

/// The verbs' work for a server's clients, under the settings that the server was started with.
/// One worker stays warm for all of them.
class ServerWorkshop final : public mcp::Workshop {
 public:
  static Result<std::unique_ptr<ServerWorkshop>> open(Settings settings,
                                                      std::filesystem::path archive);
  ~ServerWorkshop() override;
  ServerWorkshop(const ServerWorkshop&) = delete;
  ServerWorkshop& operator=(const ServerWorkshop&) = delete;

  Result<Evaluation> judge(const mcp::JudgeWish& wish, const StopSignal& stop) override;
  Result<Evaluation> compare(const mcp::CompareWish& wish, const StopSignal& stop) override;
  Result<mcp::Tuned> tune(const mcp::TuneWish& wish, const StopSignal& stop) override;
  Result<evaluate::Explanation> explain(const mcp::ExplainWish& wish,
                                        const StopSignal& stop) override;
  Result<std::string> describe_module(const mcp::ModuleWish& wish, const StopSignal& stop) override;
  Result<DeviceFacts> target() override;
  [[nodiscard]] std::filesystem::path archive() const override { return archive_; }
  Result<std::string> first_question(const Task& task) override;
  Result<std::string> start_search(const mcp::SearchWish& wish) override;
  std::optional<mcp::SearchStand> search_stand(const std::string& run) override;
  Status stop_search(const std::string& run) override;
  Status tell(const std::string& run, const std::string& trial, const std::string& answer,
              const std::string& by) override;
  Result<std::map<std::string, std::string>> exported(const std::string& run,
                                                      const std::string& trial) override;

  /// This program and the settings that a verdict depends on.
  [[nodiscard]] std::string manner() const;
  /// How many judgements at a time make sense.
  [[nodiscard]] int parallelism() const { return judge_parallelism(settings_); }
  /// Ends all searches and waits for them.
  void end_searches() { searches_.end(); }

 private:
  ServerWorkshop(Settings settings, std::filesystem::path archive, TemporaryDirectory jobs);
  Result<Evaluation> baseline_of(evaluate::Evaluator& evaluator, const Task& task,
                                 const std::string& key, const StopSignal& stop);
  Result<Evaluation> time_baseline(evaluate::Evaluator& evaluator, const Task& task,
                                   const std::string& key, const StopSignal& stop);
  void begin_baseline(const std::shared_ptr<evaluate::Evaluator>& evaluator, const Task& task,
                      const std::string& key);
  std::string next_id(const char* what);

  Settings settings_;
  std::filesystem::path archive_;
  TemporaryDirectory jobs_;
  std::shared_ptr<evaluate::WorkerClient> worker_;
  std::atomic<std::uint64_t> jobs_made_{0};
  std::mutex mutex_;
  std::map<std::string, Evaluation> baselines_;  ///< by task and manner of judging
  std::set<std::string> judging_baselines_;      ///< the same keys: somebody is at it
  std::set<std::string> begun_ahead_;            ///< the same keys: not begun ahead again
  std::condition_variable baseline_judged_;
  Searches searches_;
  StopSignal ending_;
  std::vector<std::future<void>> ahead_;  ///< baselines beside candidates; goes first, and waits
};

}  // namespace warpwright::cli
