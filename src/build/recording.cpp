// SPDX-License-Identifier: Apache-2.0
#include "build/recording.h"

#include <cstring>
#include <limits>

#include "base/text.h"
#include "build/recorder/addresses.h"
#include "build/recorder/wire.h"

namespace warpwright::build {

namespace {

using ww_recorder::WireBuffer;
using ww_recorder::WireStep;
using ww_recorder::WireVerdict;

constexpr std::size_t kMaxReason = 600;

/// Takes numbers and blocks off the front; after the first that is missing, all are zero.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  template <class Number>
  Number number() {
    Number value{};
    if (rest_.size() < sizeof value) {
      fail();
      return value;
    }
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  std::uint8_t u8() { return number<std::uint8_t>(); }
  std::uint32_t u32() { return number<std::uint32_t>(); }
  std::uint64_t u64() { return number<std::uint64_t>(); }

  std::string_view block() {
    const std::uint64_t size = u64();
    if (size > rest_.size()) {
      fail();
      return {};
    }
    const std::string_view bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return bytes;
  }

  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] bool empty() const { return rest_.empty(); }

 private:
  void fail() {
    failed_ = true;
    rest_ = {};
  }

  std::string_view rest_;
  bool failed_ = false;
};

/// A number of the process's, until somebody knows its buffer.
PlanAddress unresolved(std::uint64_t address) { return {0, static_cast<std::int64_t>(address)}; }

Dim3 dims(Reader& in) {
  Dim3 result;
  result.x = in.u32();
  result.y = in.u32();
  result.z = in.u32();
  return result;
}

PlanStep read_launch(Reader& in) {
  KernelLaunch step;
  step.kernel = in.block();
  step.grid = dims(in);
  step.block = dims(in);
  step.cluster = dims(in);
  step.clustered = in.u8() != 0;
  step.shared_bytes = in.u32();
  step.cooperative = in.u8() != 0;
  step.overlaps = in.u8() != 0;
  step.carveout = in.number<std::int32_t>();
  step.parameters = in.block();
  return step;
}

PlanStep read_memset(Reader& in) {
  Memset step;
  step.destination = unresolved(in.u64());
  step.value = in.u32();
  step.width = in.u64();
  step.height = in.u64();
  step.pitch = in.u64();
  return step;
}

PlanStep read_copy(Reader& in) {
  DeviceCopy step;
  step.destination = unresolved(in.u64());
  step.source = unresolved(in.u64());
  step.width_bytes = in.u64();
  step.height = in.u64();
  step.destination_pitch = in.u64();
  step.source_pitch = in.u64();
  return step;
}

PlanStep read_upload(Reader& in) {
  Upload step;
  step.destination = unresolved(in.u64());
  step.height = in.u64();
  step.pitch = in.u64();
  step.bytes = in.block();
  return step;
}

bool read_step(Reader& in, LaunchPlan& plan) {
  StepOrder order;
  order.stream = in.u32();
  const std::uint32_t count = in.u32();
  if (count > kMaxPlanStreams) return false;
  for (std::uint32_t i = 0; i < count; ++i) order.after.push_back(in.u32());
  switch (static_cast<WireStep>(in.u8())) {
    case WireStep::launch:
      plan.steps.push_back(read_launch(in));
      break;
    case WireStep::memset:
      plan.steps.push_back(read_memset(in));
      break;
    case WireStep::copy:
      plan.steps.push_back(read_copy(in));
      break;
    case WireStep::upload:
      plan.steps.push_back(read_upload(in));
      break;
    case WireStep::allocate:
      plan.steps.emplace_back(Allocate{in.u32()});
      break;
    case WireStep::free:
      plan.steps.emplace_back(Free{in.u32()});
      break;
    default:
      return false;
  }
  plan.order.push_back(std::move(order));
  return !in.failed();
}

bool read_buffer(Reader& in, Recording& recording) {
  LaunchPlan& plan = recording.plan;
  PlanBuffer buffer;
  const std::uint8_t kind = in.u8();
  if (kind > static_cast<std::uint8_t>(WireBuffer::past)) return false;
  constexpr BufferKind kKinds[] = {BufferKind::argument, BufferKind::scratch, BufferKind::symbol,
                                   BufferKind::argument};
  recording.past.push_back(kind == static_cast<std::uint8_t>(WireBuffer::past));
  buffer.kind = kKinds[kind];
  buffer.argument = in.u32();
  buffer.symbol = in.block();
  buffer.bytes = in.u64();
  plan.buffers.push_back(std::move(buffer));
  // Larger ones have no place among the addresses.
  return !in.failed() && plan.buffers.back().bytes <= kMaxPlanBufferBytes;
}

std::optional<Recording> read_recording(std::string_view bytes) {
  Reader in(bytes);
  Recording recording;
  LaunchPlan& plan = recording.plan;
  if (in.u32() != ww_recorder::kWireVersion) return std::nullopt;
  plan.stack_bytes = in.u64();
  plan.heap_bytes = in.u64();
  const std::uint32_t buffers = in.u32();
  if (buffers > kMaxPlanBuffers) return std::nullopt;
  std::uint64_t room = ww_recorder::AddressSpace::kWindowBytes / 4;
  for (std::uint32_t i = 0; i < buffers; ++i) {
    if (!read_buffer(in, recording) || plan.buffers.back().bytes > room) return std::nullopt;
    room -= plan.buffers.back().bytes;
  }
  const std::uint32_t steps = in.u32();
  if (steps > kMaxPlanSteps) return std::nullopt;
  for (std::uint32_t i = 0; i < steps; ++i) {
    if (!read_step(in, plan)) return std::nullopt;
  }
  if (in.failed() || !in.empty()) return std::nullopt;
  return recording;
}

void read_verdict(std::string_view bytes, Testimony& testimony) {
  Reader in(bytes);
  const std::uint8_t verdict = in.u8();
  testimony.place = in.u64();
  const std::string_view message = in.block();
  testimony.verdict = verdict == static_cast<std::uint8_t>(WireVerdict::launch_error)
                          ? Verdict::launch_error
                          : Verdict::host_error;
  testimony.message = shortened(clean_utf8(std::string(message)), kMaxReason);
}

}  // namespace

Testimony read_testimony(std::string_view bytes) {
  Testimony testimony;
  Reader in(bytes);
  bool sound = true;
  while (sound && !in.empty()) {
    const auto message = static_cast<char>(in.u8());
    if (message == ww_recorder::kReturned) continue;
    const std::string_view content = in.block();
    if (!in.failed() && message == ww_recorder::kVerdict) {
      read_verdict(content, testimony);
      return testimony;
    }
    const bool plan = !in.failed() && message == ww_recorder::kPlan;
    auto recording = plan ? read_recording(content) : std::nullopt;
    sound = recording.has_value();
    if (sound) testimony.recordings.push_back(std::move(*recording));
  }
  if (sound && !testimony.recordings.empty()) return testimony;
  testimony.recordings.clear();
  if (!bytes.empty()) testimony.message = "it wrote something else";
  return testimony;
}

std::vector<std::uint64_t> addresses_of(const LaunchPlan& plan, std::uint64_t seed) {
  ww_recorder::AddressSpace space(seed);
  std::vector<std::uint64_t> addresses;
  for (const PlanBuffer& buffer : plan.buffers) addresses.push_back(space.place(buffer.bytes));
  return addresses;
}

}  // namespace warpwright::build
