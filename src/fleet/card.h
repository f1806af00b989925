// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "base/files.h"
#include "base/stop.h"
#include "fleet/spool.h"

namespace warpwright::fleet {

/// What a pilot says of itself, in the file of its heartbeat.
struct PilotCard {
  std::string name;
  std::string host;
  std::string gpu;      ///< "NVIDIA H200", or "simt" where there is none
  std::string batch;    ///< the batch system's id of it, or empty
  std::string devices;  ///< CUDA_VISIBLE_DEVICES
  std::int64_t pid = 0;
  std::int64_t beat = 0;  ///< another number at each heartbeat
  std::int64_t started_ms = 0;
  std::int64_t seen_ms = 0;  ///< by the pilot's own clock
  std::int64_t judged = 0;
  std::int64_t failed = 0;  ///< jobs that it gave back without a result
  double busy_s = 0;        ///< with at least one job
  int holding = 0;          ///< jobs that it has now
  std::string state = "idle";
};

std::string card_to_json(const PilotCard& card);
/// Total: any text gives a card or an error.
Result<PilotCard> card_from_json(std::string_view text);

/// The name of a GPU model in jobs' names.
std::string gpu_key(std::string_view gpu);

/// Those that are in the spool now, by name; one that is being written right now may be missing.
std::map<std::string, PilotCard> pilots_of(const Spool& spool);
/// Those that have ended.
std::map<std::string, PilotCard> former_pilots(const Spool& spool);

/// Writes a pilot's card again and again while it lives, and takes it away at its end. Whoever
/// takes the card away before that has declared the pilot dead: then this raises `lost`.
class Heartbeat {
 public:
  static Result<std::unique_ptr<Heartbeat>> start(const Spool& spool, PilotCard card,
                                                  StopSignal& lost);
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;
  ~Heartbeat();

  template <class Change>
  void update(const Change& change) {
    const std::lock_guard lock(mutex_);
    change(card_);
    news_ = true;
  }

 private:
  Heartbeat(const Spool& spool, PilotCard card, StopSignal& lost);
  Status write();
  void keep_writing(const std::stop_token& over);

  const Spool& spool_;
  StopSignal& lost_;
  std::mutex mutex_;
  PilotCard card_;
  bool news_ = false;  ///< what the file does not say yet
  std::jthread thread_;
};

/// Finds pilots that are no more: those whose card has stood still for as long as the rules say, by
/// this process's own clock, and gives their jobs back. Nobody's clocks are compared.
class Reaper {
 public:
  explicit Reaper(const Spool& spool) : spool_(spool) {}
  /// Cheap; to be called now and then. The names of those who were found dead.
  std::vector<std::string> look();

 private:
  struct Seen {
    std::int64_t beat = 0;
    std::chrono::steady_clock::time_point since;
  };
  const Spool& spool_;
  std::map<std::string, Seen> seen_;
};

}  // namespace warpwright::fleet
