// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/launch_plan_order.h"
#include "device/cuda_driver.h"

namespace warpwright::device {

/// The streams of a plan. They begin when the judge's stream gets there, and the judge's stream
/// goes on when all of them have ended; events stand between the steps that the plan orders. A plan
/// in sequence has the judge's stream alone.
class CudaReplayStreams {
 public:
  CudaReplayStreams(const CudaDriver& driver, const LaunchPlan& plan)
      : driver_(driver), plan_(plan), order_(plan) {}
  ~CudaReplayStreams();
  CudaReplayStreams(const CudaReplayStreams&) = delete;
  CudaReplayStreams& operator=(const CudaReplayStreams&) = delete;

  [[nodiscard]] const PlanOrder& order() const { return order_; }

  /// Streams and events, where the plan needs any.
  Status make();
  /// Forgets them without a word to the driver: the context is lost.
  void abandon();

  Status fork(CuStream judge);
  /// Queues what the step waits for. The stream to queue the step on.
  Result<CuStream> before(std::size_t step, CuStream judge);
  Status after(std::size_t step);
  Status join(CuStream judge);

 private:
  const CudaDriver& driver_;
  const LaunchPlan& plan_;
  PlanOrder order_;
  std::vector<CuStream> streams_;  ///< by number in the plan
  std::vector<CuEvent> events_;    ///< by step; null where nobody on another stream waits for it
  CuEvent fork_ = nullptr;
  std::vector<CuEvent> joins_;  ///< by stream
};

}  // namespace warpwright::device
