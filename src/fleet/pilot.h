// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/stop.h"
#include "fleet/spool.h"

namespace warpwright::fleet {

struct PilotOptions {
  std::vector<std::string> server;  ///< program and arguments of `warpwright worker --serve`
  std::string gpu;                  ///< the model of its GPU; "simt" where there is none
  int at_once = 0;                  ///< jobs that it has at a time; 0 = one more than cores
  double idle_s = 0;                ///< ends after so long without a job; 0 = stays
  double lifetime_s = 0;            ///< takes no job after that, and ends; 0 = stays
  double grace_s = 20;              ///< after a stop: for jobs that are nearly done
  std::function<void(const std::string& line)> log;  ///< any thread; may be empty
};

/// How a pilot ended.
struct PilotEnd {
  std::int64_t judged = 0;
  std::int64_t given_back = 0;
  std::string why;  ///< "idle", "stopped", "lifetime", "lost"
};

/// Takes jobs of a spool, turn by turn from all queues, and judges them with one judge that stays
/// warm, until it is idle, stopped or declared dead. Each job is finished or given back; should
/// this process die, other pilots and the searches do so for it. The error is for a pilot that
/// cannot work: no judge, no card.
Result<PilotEnd> run_pilot(const Spool& spool, const PilotOptions& options, StopSignal& stop);

/// The GPU model that this process sees, or "simt".
std::string visible_gpu();

}  // namespace warpwright::fleet
