// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <vector>

#include "evaluate/session.h"
#include "evaluate/station.h"

namespace warpwright::evaluate {

/// What a timed call left, to be compared on the host.
struct HostCheck {
  verify::Case item;
  std::uint64_t seed = 0;
  Fetched fetched;
};

/// The device once more, for the reference of a judgement that has given it back. Waiting is not
/// the judgement's own time, holding it is.
class LeasedTurn final : public verify::DeviceTurn {
 public:
  explicit LeasedTurn(Session& session) : session_(session) {}
  Status take() override;
  void give_back() override;

 private:
  Session& session_;
  DeviceLease lease_;
  std::chrono::steady_clock::time_point since_;
};

/// Ended by the first that is wrong. Without a turn the caller holds the device, or nothing needs
/// it. With one, each waits for its share of the host's memory, of which it takes many times its
/// size.
Outcome<> conclude_on_host(Session& session, std::vector<HostCheck> checks,
                           verify::DeviceTurn* turn);

}  // namespace warpwright::evaluate
