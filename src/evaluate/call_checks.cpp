// SPDX-License-Identifier: Apache-2.0
#include "evaluate/call_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/mix.h"
#include "base/one_way.h"
#include "evaluate/oracle_kit.h"
#include "verify/draw.h"

namespace warpwright::evaluate {

namespace {

// The judge's own memory for a size, of what is free.
constexpr std::uint64_t kOwnShare = 3;
constexpr std::size_t kCallsAtOnce = 512;
// References that do more operations compute a part of the rows, and all of them now and then.
// About 20 ms on a large GPU; operations are counted, so that no verdict depends on a moment's
// speed.
constexpr double kMostCheckWork = 2e10;
constexpr std::uint64_t kAllRowsOneIn = 16;
constexpr std::uint64_t kAllRows = verify::OracleCase::Challenge{}.portion;
// Without checks on the device.
constexpr std::size_t kMostKept = 8;
constexpr std::uint64_t kMostKeptBytes = std::uint64_t{1} << 30;
// Buffers of all calls that the host makes again: gigabytes take it seconds each.
constexpr std::uint64_t kMostMadeBytes = std::uint64_t{24} << 30;
constexpr std::uint64_t kFetchedBytes = std::uint64_t{64} << 20;  // more is copied on the device

bool same_stage(const verify::RecipeStage& a, const verify::RecipeStage& b) {
  return a.op == b.op && a.stream == b.stream && a.slot == b.slot && a.numbers == b.numbers &&
         a.n == b.n && std::equal(std::begin(a.p), std::end(a.p), std::begin(b.p));
}

bool same_numbers(const verify::Recipe& a, const verify::Recipe& b) {
  return a.stages == b.stages && a.other_stages == b.other_stages &&
         std::equal(a.stage, a.stage + a.stages, b.stage, same_stage) &&
         std::equal(a.other, a.other + a.other_stages, b.other, same_stage);
}

/// Whether the instance's distributions hold numbers that are drawn for each call.
Result<bool> depends_on_numbers(const verify::Instance& instance) {
  WW_TRY(const auto other,
         verify::make_instance(*instance.task, *instance.size, instance.variant, ~instance.seed));
  for (std::size_t i = 0; i < instance.task->arguments.size(); ++i) {
    if (instance.task->arguments[i].distribution.empty()) continue;
    WW_TRY(const auto one, verify::make_recipe(instance, i));
    WW_TRY(const auto two, verify::make_recipe(other, i));
    if (!same_numbers(one, two)) return true;
  }
  return false;
}

}  // namespace

Result<std::unique_ptr<CallChecks>> CallChecks::make(Session& session, const Sized& sized) {
  std::unique_ptr<CallChecks> made(new CallChecks(session, sized));
  WW_CHECK(made->open());
  return made;
}

Status CallChecks::open() {
  const Task& task = session_.task();
  WW_TRY(const verify::Oracle* oracle, oracle_of(session_));
  WW_TRY(const auto instance, verify::make_instance(task, *sized_.size, nullptr, 0));
  WW_TRY(const auto call, call_of(task, *sized_.size, nullptr));
  WW_TRY(const std::uint64_t bytes, verify::OracleCase::bytes_for(task, instance.values));
  WW_TRY(const std::uint64_t answer, answer_bytes(task, *sized_.size));
  on_device_ =
      verify::has_device_checks(task) && bytes <= session_.device.info().free_bytes / kOwnShare;
  WW_TRY(declared_varies_, depends_on_numbers(instance));
  WW_TRY(const bool by_reference, verify::needs_expected(instance));
  WW_TRY(const double operations, work(task, *sized_.size));
  if (by_reference && operations > kMostCheckWork) {
    portion_ =
        static_cast<std::uint64_t>(kMostCheckWork / operations * static_cast<double>(kAllRows));
  }
  WW_TRY(const std::uint64_t all, footprint_bytes(task, *sized_.size));
  const auto most = std::min(kMostKeptBytes / std::max<std::uint64_t>(answer, 1),
                             kMostMadeBytes / std::max<std::uint64_t>(all, 1));
  places_ = KeptPlaces(std::clamp<std::size_t>(most, 1, kMostKept));
  keeps_there_ = !on_device_ && answer > kFetchedBytes &&
                 all * places_.most() <= session_.device.info().free_bytes / kOwnShare;
  WW_TRY(oracle_, verify::OracleCase::make(*oracle, instance, session_.kit->plan_of(call),
                                           {.calls = kCallsAtOnce, .checks = on_device_}));
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
  if (declared_varies_) WW_CHECK(add_distribution());
  return oracle_->fresh_inputs(place.ids(), seed_, distribution_);
}

Status CallChecks::add_distribution() {
  WW_TRY(const auto instance,
         verify::make_instance(session_.task(), *sized_.size, variant_, seed_));
  WW_TRY(distribution_, oracle_->add(instance));
  return {};
}

Result<bool> CallChecks::before_other(const CaseBuffers& place) {
  static const std::vector<InputVariant> kNone;
  const auto& patterns = session_.prepared.patterns;
  WW_TRY(const auto drawn, verify::draw_inputs(session_.task(), patterns ? *patterns : kNone,
                                               *sized_.size, secret(), 0));
  if (drawn.variant == nullptr) return false;
  next_call(drawn.variant);
  WW_CHECK(add_distribution());
  WW_CHECK(oracle_->fresh_inputs(place.ids(), seed_, distribution_));
  return true;
}

Status CallChecks::after(const LoadedCase& place) {
  return on_device_ ? check_on_device(place) : keep_some(place);
}

verify::OracleCase::Challenge CallChecks::challenge() {
  verify::OracleCase::Challenge drawn{.secret = secret()};
  if (secret() % kAllRowsOneIn != 0) drawn.portion = portion_;
  return drawn;
}

Status CallChecks::check_on_device(const LoadedCase& place) {
  WW_CHECK(oracle_->check(place.buffers.ids(), seed_, challenge(), distribution_));
  return ++pending_ < kCallsAtOnce ? Status{} : collect();
}

/// What failed is told at the end of the round.
Status CallChecks::collect() {
  WW_TRY(auto failures, oracle_->collect());
  pending_ = 0;
  if (failures_.empty()) failures_ = std::move(failures);
  return {};
}

/// It is drawn when the call is over.
Status CallChecks::keep_some(const LoadedCase& place) {
  if (distribution_ != 0) WW_CHECK(collect());  // it is not needed any more
  const auto place_kept = places_.place_for(variant_ != nullptr, [&] { return secret(); });
  if (!place_kept) return {};
  const PartTimer timer(session_.context, "fetch");
  if (*place_kept == kept_.size()) kept_.emplace_back();
  Kept& kept = kept_[*place_kept];
  kept.seed = seed_;
  kept.variant = variant_;
  if (keeps_there_) {
    // Only what is still chosen at the end leaves the device.
    if (!kept.copy) {
      WW_TRY(auto copy, CaseBuffers::blank(session_.device, session_.task(), place.call));
      kept.copy = std::make_unique<CaseBuffers>(std::move(copy));
    }
    WW_CHECK(copy_outputs(place.buffers, *kept.copy));
    kept.key = secret();
    WW_TRY(kept.digest, digest_of(kept));
    return {};
  }
  WW_TRY(kept.fetched, fetch_results(place, false));
  return {};
}

Status CallChecks::copy_outputs(const CaseBuffers& from, const CaseBuffers& to) const {
  const auto sources = from.ids();
  const auto targets = to.ids();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const ArgumentRole role = session_.task().arguments[i].role;
    if (role == ArgumentRole::output || role == ArgumentRole::inout)
      WW_CHECK(session_.device.copy(targets[i], sources[i]));
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
  WW_TRY(auto checks, hand_over());
  return conclude_on_host(session_, std::move(checks), nullptr);
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

Result<std::uint64_t> CallChecks::digest_of(const Kept& kept) const {
  std::uint64_t all = kept.key;
  const auto ids = kept.copy->ids();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const ArgumentRole role = session_.task().arguments[i].role;
    if (role != ArgumentRole::output && role != ArgumentRole::inout) continue;
    WW_TRY(const std::uint64_t one, session_.device.digest(ids[i], kept.key));
    all = mixed_bits(all ^ one);
  }
  return all;
}

/// Later calls share the device with the copies. One that finds them must not make them right.
Outcome<> CallChecks::fetch(Kept& kept) {
  if (!kept.copy) return {};
  WW_TRY(const std::uint64_t now, digest_of(kept));
  if (now != kept.digest) {
    return Ended{Verdict::memory_fault,
                 fmt::format("size {}: the judge's copy of an earlier call's results was changed",
                             sized_.size->label),
                 "At size " + sized_.size->label +
                     " a call wrote into memory that belongs to none of its buffers.\n"};
  }
  WW_TRY(kept.fetched.outputs, kept.copy->outputs());
  kept.copy.reset();
  return {};
}

Outcome<std::vector<HostCheck>> CallChecks::hand_over() {
  std::vector<HostCheck> all;
  for (Kept& kept : std::exchange(kept_, {})) {
    WW_CHECK(fetch(kept));
    all.push_back({{sized_.size, kept.variant}, kept.seed, std::move(kept.fetched)});
  }
  return all;
}

std::string CallChecks::coverage() const {
  if (!on_device_) {
    return fmt::format("{} of {} calls", std::min<std::uint64_t>(calls_, places_.most()), calls_);
  }
  if (portion_ < kAllRows)
    return fmt::format("all {} calls, of most of them a part of the rows,", calls_);
  return fmt::format("all {} calls", calls_);
}

}  // namespace warpwright::evaluate
