// SPDX-License-Identifier: Apache-2.0
#include "cli/stage_watch.h"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>

#include "base/files.h"
#include "evaluate/context.h"

namespace warpwright::cli {

namespace fs = std::filesystem;

namespace {

struct Seen {
  std::string job;
  std::string stage;
};

/// The jobs of one evaluation follow each other: the one that is there is under way.
Seen look(const fs::path& jobs) {
  Seen seen;
  std::error_code code;
  for (fs::directory_iterator it(jobs, code), end; !code && it != end; it.increment(code)) {
    const auto stage = read_file(it->path() / "scratch" / evaluate::kStageFile, 64);
    seen = {it->path().filename().string(), stage.ok() ? *stage : ""};
  }
  return seen;
}

}  // namespace

StageWatch::StageWatch(fs::path jobs, bool quiet)
    : jobs_(std::move(jobs)), terminal_(::isatty(STDERR_FILENO) == 1) {
  if (!quiet) thread_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

StageWatch::~StageWatch() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  if (terminal_) std::fputs("\r\x1b[K", stderr);
}

void StageWatch::watch(const std::stop_token& stop) const {
  constexpr std::chrono::milliseconds kGlance{100};
  const auto start = std::chrono::steady_clock::now();
  std::mutex mutex;
  std::condition_variable_any ended;
  std::unique_lock lock(mutex);
  std::string last;
  while (!ended.wait_for(lock, stop, kGlance, [&] { return stop.stop_requested(); })) {
    const Seen seen = look(jobs_);
    // Before the first stage and behind the last one there is nothing to tell.
    if (seen.stage.empty()) continue;
    const std::string line = seen.job + ": " + seen.stage;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    if (terminal_) {
      std::fprintf(stderr, "\r\x1b[K%s, %.0f s", line.c_str(), spent.count());
    } else if (line != last) {
      std::fprintf(stderr, "%s\n", line.c_str());
    }
    std::fflush(stderr);
    last = line;
  }
}

}  // namespace warpwright::cli
