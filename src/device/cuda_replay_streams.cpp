// SPDX-License-Identifier: Apache-2.0
#include "device/cuda_replay_streams.h"

#include <algorithm>

namespace warpwright::device {

CudaReplayStreams::~CudaReplayStreams() {
  for (CuEvent event : events_) {
    if (event != nullptr) driver_.event_destroy(event);
  }
  for (CuEvent event : joins_) driver_.event_destroy(event);
  if (fork_ != nullptr) driver_.event_destroy(fork_);
  for (CuStream stream : streams_) driver_.stream_destroy(stream);
}

void CudaReplayStreams::abandon() {
  streams_.clear();
  events_.clear();
  joins_.clear();
  fork_ = nullptr;
}

Status CudaReplayStreams::make() {
  if (order_.in_sequence() || !streams_.empty()) return {};
  const auto new_event = [&](CuEvent& event) {
    return driver_.check(driver_.event_create(&event, kCuEventDisableTiming), "make an event");
  };
  std::uint32_t most = 0;
  for (const StepOrder& step : plan_.order) most = std::max(most, step.stream);
  for (std::uint32_t i = 0; i <= most; ++i) {
    CuStream stream = nullptr;
    WW_CHECK(driver_.check(driver_.stream_create(&stream, kCuStreamNonBlocking), "make a stream"));
    streams_.push_back(stream);
    CuEvent event = nullptr;
    WW_CHECK(new_event(event));
    joins_.push_back(event);
  }
  WW_CHECK(new_event(fork_));
  events_.assign(plan_.steps.size(), nullptr);
  for (const StepOrder& step : plan_.order) {
    for (const std::uint32_t earlier : step.after) {
      if (events_[earlier] == nullptr) WW_CHECK(new_event(events_[earlier]));
    }
  }
  return {};
}

Status CudaReplayStreams::fork(CuStream judge) {
  if (streams_.empty()) return {};
  WW_CHECK(driver_.check(driver_.event_record(fork_, judge), "record an event"));
  for (CuStream stream : streams_) {
    WW_CHECK(driver_.check(driver_.stream_wait_event(stream, fork_, 0), "wait for an event"));
  }
  return {};
}

Result<CuStream> CudaReplayStreams::before(std::size_t step, CuStream judge) {
  if (streams_.empty()) return judge;
  CuStream stream = streams_[plan_.order[step].stream];
  for (const std::uint32_t earlier : plan_.order[step].after) {
    WW_CHECK(
        driver_.check(driver_.stream_wait_event(stream, events_[earlier], 0), "wait for an event"));
  }
  return stream;
}

Status CudaReplayStreams::after(std::size_t step) {
  if (streams_.empty() || events_[step] == nullptr) return {};
  return driver_.check(driver_.event_record(events_[step], streams_[plan_.order[step].stream]),
                       "record an event");
}

Status CudaReplayStreams::join(CuStream judge) {
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    WW_CHECK(driver_.check(driver_.event_record(joins_[i], streams_[i]), "record an event"));
    WW_CHECK(driver_.check(driver_.stream_wait_event(judge, joins_[i], 0), "wait for an event"));
  }
  return {};
}

}  // namespace warpwright::device
