// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "mcp/workshop.h"
#include "report/endpoint.h"
#include "service/queue.h"
#include "torch/trace.h"

namespace warpwright::cli {

/// The judge over HTTP in the words of `flashinfer-bench serve`: definitions and workloads of a
/// data set, solutions to evaluate, tasks to ask about. docs/rewards.md.
class TraceService {
 public:
  struct Options {
    std::filesystem::path root;  ///< data set, problem folder or definition
    bool open = false;           ///< no token is asked for
    service::QueueOptions queue;
  };

  static Result<std::unique_ptr<TraceService>> open(const Options& options,
                                                    mcp::Workshop& workshop);

  /// For the program's HTTP server; this object outlives it.
  std::vector<report::Endpoint> endpoints();
  void stop() { queue_.stop(); }

 private:
  using Json = nlohmann::ordered_json;

  /// A definition, its workloads, and the task that it became.
  struct Entry {
    torch::TraceDefinition definition;
    Json json;
    std::vector<Json> workloads;
    std::mutex mutex;  ///< of the task
    std::shared_ptr<const Task> task;
  };

  /// One solution that somebody asked about.
  struct Job {
    std::string definition;
    std::string solution;
    std::vector<std::string> uuids;
    std::string error;  ///< why there is no ticket
    std::shared_ptr<service::Ticket> ticket;
  };

  TraceService(const Options& options, mcp::Workshop& workshop)
      : options_(options), workshop_(workshop), queue_(options.queue) {}

  report::WebAnswer definitions(const report::WebRequest& request);
  report::WebAnswer workload(const report::WebRequest& request);
  report::WebAnswer evaluate(const report::WebRequest& request);
  report::WebAnswer task(const report::WebRequest& request);
  report::WebAnswer tasks(const report::WebRequest& request);
  report::WebAnswer health();

  Result<std::shared_ptr<const Task>> task_of(Entry& entry, const StopSignal& stop);
  Result<Evaluation> judge(Entry& entry, const std::string& solution, const StopSignal& stop);
  Json told(const std::string& id, const Job& job, double wait_s);
  [[nodiscard]] Json traces_of(const Job& job, const Evaluation& evaluation);
  std::optional<Job> find_job(const std::string& id);

  Options options_;
  mcp::Workshop& workshop_;
  std::map<std::string, std::unique_ptr<Entry>> entries_;
  std::mutex mutex_;  ///< of the jobs
  std::map<std::string, Job> jobs_;
  std::vector<std::string> order_;  ///< of the jobs' ids, oldest first
  std::atomic<int> waiters_{0};
  service::JudgeQueue queue_;
};

}  // namespace warpwright::cli
