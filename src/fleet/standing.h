// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fleet/card.h"
#include "fleet/spool.h"

namespace warpwright::fleet {

struct QueueStanding {
  std::string queue;
  int waiting = 0, taken = 0, done = 0;
};

struct PilotStanding {
  PilotCard card;
  double silent_s = 0;  ///< since its last heartbeat, by the file system's clock
};

/// Where a spool stands now.
struct Standing {
  std::string spool;
  std::vector<PilotStanding> pilots;
  int former = 0;  ///< pilots that have ended
  std::vector<QueueStanding> queues;
  int waiting = 0, taken = 0;
  std::int64_t judged = 0, failed = 0;  ///< by all pilots, also former ones
  double per_minute = 0;  ///< verdicts of the last five minutes in queues that are there
  std::map<std::string, double> gpu_hours;   ///< by model: while a pilot held one
  std::map<std::string, double> busy_hours;  ///< of it, with a job
};

Standing standing_of(const Spool& spool);
std::string standing_text(const Standing& standing);
/// docs/fleet.md says what the fields mean.
std::string standing_json(const Standing& standing);
/// The part of it that a page shows: it changes only when something happened.
std::string standing_page_json(const Standing& standing);

}  // namespace warpwright::fleet
