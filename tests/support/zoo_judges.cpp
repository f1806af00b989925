// SPDX-License-Identifier: Apache-2.0
#include "support/zoo_judges.h"

#include "evaluate/judgement.h"
#include "suite/load.h"

namespace warpwright {

namespace {

constexpr double kShortLimitSeconds = 10;

}  // namespace

ZooJudges::ZooJudges(const std::vector<ZooMember>& members, std::deque<std::size_t> waiting,
                     Settings settings)
    : members_(members),
      settings_(settings),
      shared_(TemporaryDirectory::create("warpwright-zoo-").value()),
      waiting_(std::move(waiting)) {
  for (int i = 0; i < 2; ++i) threads_.emplace_back([this] { work(); });
}

Evaluation ZooJudges::result(std::size_t member) {
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return results_.contains(member); });
  return results_.at(member);
}

void ZooJudges::work() {
  for (;;) {
    std::size_t member = 0;
    {
      const std::lock_guard lock(mutex_);
      if (waiting_.empty()) return;
      member = waiting_.front();
      waiting_.pop_front();
    }
    Evaluation evaluation = judge(members_[member]);
    const std::lock_guard lock(mutex_);
    results_[member] = std::move(evaluation);
    done_.notify_all();
  }
}

Evaluation ZooJudges::judge(const ZooMember& member) const {
  evaluate::JobRequest request;
  request.id = member.name;
  request.task = suite::load_embedded_task(member.task).value();
  request.source = member.source;
  request.rule_set = RuleSet::named(member.rules).value();
  request.device = "simt";
  request.front_end = "clang";
  request.seed = settings_.seed;
  const bool hurries = settings_.short_timeouts && member.accepts(Verdict::timeout);
  request.limit_s = hurries ? kShortLimitSeconds : settings_.limit_s;
  request.cache = shared_.path() / "cache";
  request.sizes = sizes_of(member, request.task).value();
  const StopSignal stop;
  return evaluate::judge(request, shared_.path() / member.name, stop);
}

}  // namespace warpwright
