// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/stop.h"
#include "mcp/rpc.h"

namespace warpwright::mcp {

/// What a tool has to say: an object for programs and a few lines for a model.
struct ToolAnswer {
  Json data = Json::object();
  std::string text;
  bool is_error = false;  ///< the model can read the text and do better
  /// Where this is the short form: everything, for whoever asks a job for it later.
  std::shared_ptr<const ToolAnswer> whole = nullptr;
};

ToolAnswer tool_failure(std::string text);

/// Runs a tool's work; an exception of a library becomes a failure of the tool.
ToolAnswer guarded(const std::function<ToolAnswer()>& work);

/// Work that may take longer than a client waits for one answer. A job belongs to whoever knows its
/// name, which cannot be guessed.
class Job {
 public:
  using Work = std::function<ToolAnswer(const StopSignal& stop)>;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] double elapsed_s() const;
  /// The answer, when there is one within that time.
  std::optional<ToolAnswer> wait(std::chrono::milliseconds time);
  [[nodiscard]] bool done();
  void cancel() { stop_.request(StopReason::interrupted); }

 private:
  friend class JobTable;
  Job(std::string name, Work work);

  std::string name_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  StopSignal stop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<ToolAnswer> answer_;
  std::jthread thread_;  ///< last: it uses what is above
};

/// The jobs of a server: few at a time, and the answers of the last ones.
class JobTable {
 public:
  JobTable(std::size_t at_once, std::size_t kept) : at_once_(at_once), kept_(kept) {}
  /// Cancels all and waits for them.
  ~JobTable();

  /// Null when too many are under way.
  std::shared_ptr<Job> start(Job::Work work);
  std::shared_ptr<Job> find(const std::string& name);
  void cancel_all();

 private:
  std::size_t at_once_;
  std::size_t kept_;
  std::mutex mutex_;
  std::deque<std::shared_ptr<Job>> jobs_;  ///< oldest first
};

/// 16 bytes of the system's randomness in hexadecimal.
std::string random_name();

}  // namespace warpwright::mcp
