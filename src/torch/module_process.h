// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/result.h"
#include "core/task.h"
#include "sandbox/sandbox.h"
#include "torch/interpreter.h"
#include "torch/large_files.h"

namespace warpwright::torch {

/// Where a module computes.
enum class Place : int { cpu, gpu };

/// A task's module in a sandboxed Python that stays, and the two pipes to it. A question is a line
/// of JSON that names files of the folder.
class ModuleProcess {
 public:
  struct Options {
    Place place = Place::cpu;
    std::uint64_t bytes = 0;  ///< of the files of its largest question
    double answer_s = 600;    ///< longest wait for one answer
    const StopSignal* stop = nullptr;
  };
  /// Starts it; Python loads torch while the caller goes on.
  static Result<std::unique_ptr<ModuleProcess>> start(const Task& task,
                                                      const Interpreter& interpreter,
                                                      const sandbox::Sandbox& sandbox,
                                                      const Options& options);
  ~ModuleProcess();
  ModuleProcess(const ModuleProcess&) = delete;
  ModuleProcess& operator=(const ModuleProcess&) = delete;

  /// What it reads and writes.
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }
  /// For files on their way there, which it cannot reach.
  [[nodiscard]] const std::filesystem::path& beside() const { return beside_.path(); }
  [[nodiscard]] bool alive() const { return !gone_; }
  /// Until the answer is there; one question at a time, others wait. The error is the module's:
  /// "reference.py:LINE: what".
  Status ask(std::string line);

 private:
  ModuleProcess(sandbox::Sandbox sandbox, Options options, SweptFolder folder, SweptFolder beside)
      : sandbox_(sandbox),
        options_(options),
        folder_(std::move(folder)),
        beside_(std::move(beside)) {}
  Status run(const Task& task, const Interpreter& interpreter);
  Status hear();
  Status wait_for(int descriptor, short event);
  [[nodiscard]] std::string how_it_ended() const;

  sandbox::Sandbox sandbox_;
  Options options_;
  SweptFolder folder_;
  SweptFolder beside_;
  int questions_ = -1;
  int answers_ = -1;
  std::string heard_;
  std::mutex asking_;
  StopSignal stop_;
  std::atomic<bool> gone_ = false;
  std::unique_ptr<Result<ProcessExit>> ended_;
  std::thread runner_;
};

}  // namespace warpwright::torch
