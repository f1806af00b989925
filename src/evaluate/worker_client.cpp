// SPDX-License-Identifier: Apache-2.0
#include "evaluate/worker_client.h"

#include <chrono>

#include "evaluate/lines.h"
#include "evaluate/local_evaluator.h"

namespace warpwright::evaluate {

namespace {

constexpr std::chrono::milliseconds kReplyGlance{50};

}  // namespace

WorkerClient::WorkerClient(std::vector<std::string> argv)
    : argv_(std::move(argv)), listener_([this] { listen(); }) {}

WorkerClient::~WorkerClient() {
  const std::lock_guard hold(mutex_);
  closing_ = true;
  changed_.notify_all();
}

Status WorkerClient::submit(const std::string& folder) {
  std::unique_lock hold(mutex_);
  wanted_ = true;
  changed_.notify_all();
  changed_.wait(hold, [&] { return process_ != nullptr || !started_.ok() || closing_; });
  if (process_ == nullptr) {
    const Status failed = std::exchange(started_, Status{});
    return failed.ok() ? Status(Error{"stopped"}) : failed;
  }
  open_.insert(folder);
  // A server that is gone is noticed by the listener, which then closes all open folders.
  static_cast<void>(process_->write_line(folder));
  return {};
}

Status WorkerClient::judge(const JobDirectory& job, const StopSignal& stop) {
  const std::string folder = job.path().string();
  if (folder.find('\n') != std::string::npos) return Error{"a job folder's name spans two lines"};
  WW_CHECK(submit(folder));
  std::unique_lock hold(mutex_);
  while (open_.contains(folder)) {
    if (stop.requested()) return Error{"stopped while judging " + folder};
    changed_.wait_for(hold, kReplyGlance);
  }
  return {};
}

void WorkerClient::listen() {
  std::unique_lock hold(mutex_);
  while (!closing_) {
    if (process_ == nullptr) {
      changed_.wait(hold, [&] { return closing_ || wanted_; });
      if (closing_) break;
      Command command;
      command.argv = argv_;
      command.env = worker_environment();
      auto started = ChildProcess::start(command);
      started_ = started.ok() ? Status{} : Status(started.error());
      if (started.ok()) process_ = std::make_unique<ChildProcess>(std::move(started).value());
      wanted_ = false;
      changed_.notify_all();
      continue;
    }
    hold.unlock();
    const auto reply = process_->read_line(kReplyGlance);
    hold.lock();
    if (reply.heard == ChildProcess::Heard::nothing) continue;
    if (reply.heard == ChildProcess::Heard::gone) {
      process_.reset();
      open_.clear();
    } else if (reply.line.starts_with(kDone)) {
      open_.erase(reply.line.substr(kDone.size()));
    }
    changed_.notify_all();
  }
  process_.reset();
}

}  // namespace warpwright::evaluate
