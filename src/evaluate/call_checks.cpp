// SPDX-License-Identifier: Apache-2.0
#include "evaluate/call_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/one_way.h"
#include "evaluate/oracle_kit.h"

namespace warpwright::evaluate {

namespace {

// The judge's own memory for a size, of what is free.
constexpr std::uint64_t kOwnShare = 3;
constexpr std::size_t kCallsAtOnce = 512;
// Checks of a call that take longer look at a part of the rows, and at all of them now and then.
constexpr double kMostCheckSeconds = 0.02;
constexpr std::uint64_t kAllRowsOneIn = 16;
constexpr std::uint64_t kAllRows = std::uint64_t{1} << 32;
// Without checks on the device.
constexpr std::size_t kMostKept = 8;
constexpr std::uint64_t kMostKeptBytes = std::uint64_t{1} << 30;

std::vector<device::BufferId> buffers_of(const CaseBuffers& buffers) {
  std::vector<device::BufferId> list;
  for (const device::Binding& binding : buffers.bindings()) list.push_back(binding.buffer);
  return list;
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

Result<std::unique_ptr<CallChecks>> CallChecks::make(Session& session, const Sized& sized) {
  std::unique_ptr<CallChecks> made(new CallChecks(session, sized));
  WW_CHECK(made->open());
  return made;
}

Status CallChecks::open() {
  const Task& task = session_.task();
  ASSERT(session_.kit != nullptr, "timed calls need the judge's own code");
  if (!session_.oracle) {
    WW_TRY(auto oracle, verify::Oracle::make(session_.device, session_.kit->built.code));
    session_.oracle.emplace(std::move(oracle));
  }
  WW_TRY(const auto trial, verify::make_trial(task, *sized_.size, nullptr, 0));
  WW_TRY(const auto call, call_of(task, *sized_.size, nullptr));
  WW_TRY(const std::uint64_t bytes, verify::OracleCase::bytes_for(task, trial.values));
  WW_TRY(const std::uint64_t answer, answer_bytes(task, *sized_.size));
  on_device_ =
      verify::has_device_checks(task) && bytes <= session_.device.info().free_bytes / kOwnShare;
  most_kept_ =
      std::clamp<std::size_t>(kMostKeptBytes / std::max<std::uint64_t>(answer, 1), 1, kMostKept);
  WW_TRY(oracle_, verify::OracleCase::make(*session_.oracle, trial, session_.kit->plan_of(call),
                                           {.calls = kCallsAtOnce, .checks = on_device_}));
  return find_others();
}

Status CallChecks::find_others() {
  const Task& task = session_.task();
  for (const InputVariant& variant : task.variants) {
    if (!variant.values.empty()) continue;  // it makes another call
    WW_TRY(const bool meant, applies(task, variant, *sized_.size));
    if (meant) others_.push_back(&variant);
  }
  return {};
}

void CallChecks::next_call(const InputVariant* variant) {
  seed_ =
      one_way(session_.prepared.seed, "timed call", (std::uint64_t{sized_.number} << 40) + calls_);
  ++calls_;
  variant_ = variant;
  distribution_ = 0;
}

Status CallChecks::before(const CaseBuffers& place) {
  next_call(nullptr);
  return oracle_->fresh_inputs(buffers_of(place), seed_);
}

Result<bool> CallChecks::before_other(const CaseBuffers& place) {
  if (others_.empty()) return false;
  next_call(others_[secret() % others_.size()]);
  WW_TRY(const auto trial, verify::make_trial(session_.task(), *sized_.size, variant_, seed_));
  WW_TRY(distribution_, oracle_->add(trial));
  WW_CHECK(oracle_->fresh_inputs(buffers_of(place), seed_, distribution_));
  return true;
}

Status CallChecks::after(const LoadedCase& place) {
  return on_device_ ? check_on_device(place) : keep_some(place);
}

verify::OracleCase::Challenge CallChecks::challenge() {
  verify::OracleCase::Challenge drawn{.secret = secret()};
  if (full_check_s_ > kMostCheckSeconds && secret() % kAllRowsOneIn != 0) {
    partly_ = true;
    drawn.portion = static_cast<std::uint64_t>(kMostCheckSeconds / full_check_s_ *
                                               static_cast<double>(kAllRows));
  }
  return drawn;
}

Status CallChecks::check_on_device(const LoadedCase& place) {
  const bool first = full_check_s_ == 0;
  const double start = seconds_now();
  WW_CHECK(oracle_->check(buffers_of(place.buffers), seed_, challenge(), distribution_));
  ++pending_;
  if (!first && pending_ < kCallsAtOnce) return {};
  WW_CHECK(collect());
  if (first) full_check_s_ = seconds_now() - start;
  return {};
}

/// What failed is told at the end of the round.
Status CallChecks::collect() {
  WW_TRY(auto failures, oracle_->collect());
  pending_ = 0;
  if (failures_.empty()) failures_ = std::move(failures);
  return {};
}

/// Each call so far has the same chance to be among those that are kept, and it is drawn when the
/// call is over.
Status CallChecks::keep_some(const LoadedCase& place) {
  if (distribution_ != 0) WW_CHECK(collect());  // it is not needed any more
  const std::uint64_t at = kept_.size() < most_kept_ ? kept_.size() : secret() % calls_;
  if (at >= most_kept_) return {};
  const PartTimer timer(session_.context, "fetch");
  WW_TRY(auto fetched, fetch_results(place, false));
  Kept kept{seed_, variant_, std::move(fetched)};
  if (at < kept_.size()) {
    kept_[at] = std::move(kept);
  } else {
    kept_.push_back(std::move(kept));
  }
  return {};
}

Outcome<> CallChecks::conclude_round() {
  if (!on_device_) return {};
  const PartTimer timer(session_.context, "checks");
  return conclude_on_device();
}

Outcome<> CallChecks::conclude() {
  if (on_device_) return conclude_round();
  const PartTimer timer(session_.context, "checks");
  return conclude_on_host();
}

Outcome<> CallChecks::conclude_on_device() {
  if (failures_.empty()) WW_CHECK(collect());
  if (failures_.empty()) return {};
  Wrong wrong;
  if (failures_.front().changed_input) {
    wrong.changed_input = session_.task().arguments[failures_.front().argument].name;
  } else {
    WW_TRY(wrong.mismatch, oracle_->explain(failures_.front()));
  }
  const verify::Case item{sized_.size, oracle_->failed_variant()};
  return mismatched(session_.prepared, item, wrong, {}, session_.context.notes);
}

Outcome<> CallChecks::conclude_on_host() {
  for (const Kept& kept : std::exchange(kept_, {})) {
    const verify::Case item{sized_.size, kept.variant};
    WW_TRY(const auto loaded, load_case(session_, item, kept.seed));
    WW_TRY(const auto expected, expected_values(session_, loaded));
    WW_TRY(const auto wrong, find_wrong(loaded.trial, loaded.inputs, expected, kept.fetched));
    if (wrong) return mismatched(session_.prepared, item, *wrong, {}, session_.context.notes);
  }
  return {};
}

std::string CallChecks::coverage() const {
  if (!on_device_) {
    return fmt::format("{} of {} calls", std::min<std::uint64_t>(calls_, most_kept_), calls_);
  }
  if (partly_) return fmt::format("all {} calls, of most of them a part of the rows,", calls_);
  return fmt::format("all {} calls", calls_);
}

}  // namespace warpwright::evaluate
