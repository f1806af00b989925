// SPDX-License-Identifier: Apache-2.0
#include "evaluate/device_case.h"

#include <random>

#include "evaluate/blame.h"
#include "evaluate/oracle_kit.h"

namespace warpwright::evaluate {

namespace {

constexpr std::size_t kCallsOfACase = 2;
// Of a reference that can leave rows out, operations per call. Which rows is drawn after the call.
constexpr double kReferenceWork = 1e11;
constexpr std::uint64_t kJudgesShare = 4;  // of the device's memory, for the judge

std::uint64_t secret_of_now() {
  std::random_device random;
  return (std::uint64_t{random()} << 32) ^ random();
}

}  // namespace

Result<bool> validated_on_device(const Prepared& prepared, const verify::Case& item) {
  const Task& task = prepared.task();
  if (!prepared.target.is_cuda || !verify::has_device_checks(task)) return false;
  WW_TRY(const auto values, values_at(task, *item.size, item.variant));
  WW_TRY(const std::uint64_t own, verify::OracleCase::bytes_for(task, values));
  return own <= static_cast<std::uint64_t>(prepared.target.facts.memory_bytes) / kJudgesShare;
}

Result<DeviceCase> DeviceCase::open(Session& session, const verify::Case& item,
                                    std::uint64_t seed) {
  const PartTimer timer(session.context, "open");
  WW_TRY(const verify::Oracle* oracle, oracle_of(session));
  WW_TRY(auto loaded, load_place(session, item, seed, session.module));
  DeviceCase made(session, std::move(loaded));
  WW_TRY(made.oracle_, verify::OracleCase::make(*oracle, made.loaded_.instance,
                                                session.kit->plan_of(made.loaded_.call),
                                                {.calls = kCallsOfACase}));
  made.buffers_ = made.loaded_.buffers.ids();
  return made;
}

Status DeviceCase::before() { return oracle_->fresh_inputs(buffers_, loaded_.instance.seed); }

Status DeviceCase::after(std::vector<Finding> findings) {
  if (calls_++ == 0) findings_ = std::move(findings);
  WW_TRY(const double operations, flops(session_->task(), *loaded_.item.size));
  verify::OracleCase::Challenge challenge{.secret = secret_of_now()};
  if (operations > kReferenceWork) {
    challenge.portion = static_cast<std::uint64_t>(static_cast<double>(challenge.portion) *
                                                   kReferenceWork / operations);
  }
  return oracle_->check(buffers_, loaded_.instance.seed, challenge);
}

Outcome<> DeviceCase::conclude() {
  const PartTimer timer(session_->context, "check");
  WW_TRY(const auto failures, oracle_->collect());
  if (failures.empty()) return {};
  const verify::CallFailure& first = failures.front();
  Wrong wrong;
  if (first.changed_input) {
    wrong.changed_input = session_->task().arguments[first.argument].name;
  } else {
    WW_TRY(wrong.mismatch, oracle_->explain(first));
  }
  return ended_by_wrong(*session_, loaded_.item, loaded_.instance.seed, wrong, findings_,
                        static_cast<std::size_t>(first.call));
}

}  // namespace warpwright::evaluate
