// SPDX-License-Identifier: Apache-2.0
#include "evaluate/runner.h"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <limits>
#include <thread>
#include <vector>

#include <malloc.h>
#include <unistd.h>

#include "evaluate/lines.h"
#include "evaluate/station.h"
#include "evaluate/worker.h"

namespace warpwright::evaluate {

namespace {

/// Lines in their order, until nobody will add any.
class Queue {
 public:
  void add(std::string line) {
    const std::lock_guard hold(mutex_);
    lines_.push_back(std::move(line));
    changed_.notify_one();
  }
  void close() {
    const std::lock_guard hold(mutex_);
    closed_ = true;
    changed_.notify_all();
  }
  std::optional<std::string> take() {
    std::unique_lock hold(mutex_);
    changed_.wait(hold, [&] { return closed_ || !lines_.empty(); });
    if (lines_.empty()) return std::nullopt;
    std::string line = std::move(lines_.front());
    lines_.pop_front();
    return line;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> lines_;
  bool closed_ = false;
};

/// A context that hangs would hold up destructors and exit handlers alike.
[[noreturn]] void leave(LineWriter& out) {
  out.write(kWorn);
  std::_Exit(0);
}

void work_until_closed(Queue& queue, Station& station, LineWriter& out, const StopSignal& stop) {
  while (const auto line = queue.take()) {
    const auto [folder, digest] = job_line(*line);
    const auto done = work(JobDirectory(folder), digest, station, stop);
    if (stop.requested()) return;
    const bool worn = station.worn();
    if (!done.ok() && worn) {
      // The candidate that wore it out is about to write its result, and then leaves for us all.
      std::this_thread::sleep_for(std::chrono::seconds(10));
      leave(out);
    }
    if (!done.ok()) {
      std::fprintf(stderr, "warpwright worker: %s: %s\n", folder.c_str(),
                   done.error().message.c_str());
    }
    out.write(std::string(kDone) + folder);
    if (worn) leave(out);
  }
}

}  // namespace

namespace {

/// Candidates' buffers come and go by the hundred megabytes. Giving them back to the system and
/// getting them anew stops every thread of the process each time, also the one that has the GPU.
void keep_freed_memory() {
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most that it takes
  ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  // Threads have arenas of their own, although those give whole heaps of 64 MiB back: large blocks
  // are kept by take_block, and ten simulations that share one arena wait for its lock half of the
  // time.
}

}  // namespace

int run_jobs(int in, int out_fd, int at_once, const StopSignal& stop) {
  keep_freed_memory();
  LineReader reader(in);
  LineWriter out(out_fd);
  Station station;
  station.on_wait([&out](bool waits) { out.write(waits ? kWaits : kHolds); });
  Queue queue;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < at_once; ++i) {
      threads.emplace_back([&] { work_until_closed(queue, station, out, stop); });
    }
    while (auto line = reader.next()) queue.add(std::move(*line));
    queue.close();
  }
  return 0;
}

}  // namespace warpwright::evaluate
