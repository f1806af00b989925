// SPDX-License-Identifier: Apache-2.0
#include "evaluate/inputs.h"

#include <algorithm>
#include <thread>

#include "base/background.h"
#include "base/one_way.h"
#include "evaluate/device_case.h"
#include "evaluate/memory_room.h"
#include "evaluate/stages.h"
#include "verify/check.h"

namespace warpwright::evaluate {

namespace {

constexpr std::uint64_t kLargestCase = std::uint64_t{24} << 20;
constexpr std::uint64_t kTimedSeeds = 1 << 20;
constexpr std::uint64_t kSeedsPerSize = 1 << 12;

/// Makes cases as long as there is room for them.
class Maker {
 public:
  Maker(const Prepared& prepared, const verify::ExpectedSource* reference, Context& context)
      : prepared_(prepared), reference_(reference), context_(context) {}

  Status make_all() {
    for (std::size_t i = 0; i < prepared_.cases.size(); ++i) {
      if (context_.stop.requested()) return Error{"stopped"};
      WW_TRY(const bool on_device, validated_on_device(prepared_, prepared_.cases[i]));
      if (on_device) continue;
      WW_CHECK(make_one(prepared_.cases[i], derived_seed(prepared_.seed, i), true));
    }
    // Only comparisons time calls on inputs of the host.
    if (!prepared_.request().rival) return {};
    for (std::size_t i = 0; i < prepared_.timed.size(); ++i) WW_CHECK(make_timed(i));
    return {};
  }
  Ahead take() { return std::move(made_); }

 private:
  Status make_timed(std::size_t number) {
    const verify::Case item{prepared_.timed[number], nullptr};
    WW_TRY(const std::uint64_t bytes, footprint_bytes(prepared_.task(), *item.size));
    for (std::uint64_t set = 0; set < std::min(input_sets(bytes), kContents); ++set) {
      WW_CHECK(make_one(item, timed_seed(prepared_, number, set), false));
    }
    WW_TRY(const bool fresh, is_tried_fresh(prepared_.task(), *item.size));
    return fresh ? make_one(item, timed_seed(prepared_, number, kFreshSet), false) : Status{};
  }

  Status make_one(const verify::Case& item, std::uint64_t seed, bool with_expected) {
    WW_TRY(const std::uint64_t bytes, footprint_bytes(prepared_.task(), *item.size));
    // Expected values are doubles, and some have scales beside them.
    const std::uint64_t kept = with_expected ? 5 * bytes : bytes;
    if ((with_expected && bytes > kLargestCase) || kept > room_) return {};
    WW_TRY(const auto instance,
           verify::make_instance(prepared_.task(), *item.size, item.variant, seed));
    std::optional<std::vector<verify::Expected>> expected;
    std::vector<verify::Bytes> inputs;
    {
      const PartTimer timer(context_, "inputs");
      WW_TRY(inputs, verify::generate_inputs(instance));
    }
    WW_TRY(const bool needed, verify::needs_expected(instance));
    if (with_expected && needed && reference_ != nullptr) {
      const PartTimer timer(context_, "reference");
      WW_TRY(expected, reference_->run(instance, inputs));
    }
    std::uint64_t made = 0;
    for (const verify::Bytes& buffer : inputs) made += buffer.size();
    room_ -= with_expected ? kept : std::min(made, room_);
    made_.put(item, seed, std::move(inputs), std::move(expected));
    return {};
  }

  const Prepared& prepared_;
  const verify::ExpectedSource* reference_;
  Context& context_;
  std::uint64_t room_ = memory_room();
  Ahead made_;
};

}  // namespace

void Ahead::put(const verify::Case& item, std::uint64_t seed, std::vector<verify::Bytes> inputs,
                std::optional<std::vector<verify::Expected>> expected) {
  const Key key{item.size, item.variant, seed};
  inputs_[key] = std::move(inputs);
  if (expected) expected_[key] = std::move(*expected);
}

std::optional<std::vector<verify::Bytes>> Ahead::take_inputs(const verify::Case& item,
                                                             std::uint64_t seed) {
  auto found = inputs_.extract({item.size, item.variant, seed});
  if (found.empty()) return std::nullopt;
  return std::move(found.mapped());
}

std::optional<std::vector<verify::Expected>> Ahead::take_expected(const verify::Case& item,
                                                                  std::uint64_t seed) {
  auto found = expected_.extract({item.size, item.variant, seed});
  if (found.empty()) return std::nullopt;
  return std::move(found.mapped());
}

std::uint64_t input_sets(std::uint64_t footprint_bytes) {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  return footprint_bytes <= 64 * kMiB ? 12 : kContents;
}

Result<bool> is_tried_fresh(const Task& task, const TaskSize& size) {
  constexpr std::uint64_t kMostAnswerBytes = std::uint64_t{128} << 20;
  constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30;  // making the inputs takes seconds
  WW_TRY(const std::uint64_t bytes, footprint_bytes(task, size));
  WW_TRY(const std::uint64_t answer, answer_bytes(task, size));
  return answer <= kMostAnswerBytes && bytes <= kMostBytes;
}

std::uint64_t derived_seed(std::uint64_t seed, std::uint64_t n) {
  return one_way(seed, "derived", n);
}

std::uint64_t timed_seed(const Prepared& prepared, std::uint64_t size_number, std::uint64_t set) {
  return derived_seed(prepared.seed, kTimedSeeds + size_number * kSeedsPerSize + set);
}

Result<Ahead> make_ahead(const Prepared& prepared, const verify::ExpectedSource* reference,
                         Context& context) {
  Maker maker(prepared, reference, context);
  Status made;
  std::thread([&] {
    work_in_background();  // another candidate has the device
    made = maker.make_all();
  }).join();
  WW_CHECK(made);
  return maker.take();
}

}  // namespace warpwright::evaluate
