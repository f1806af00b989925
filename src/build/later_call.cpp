// SPDX-License-Identifier: Apache-2.0
// Users call solve more than once. What it asks for in a later call of a process is held against
// the plan of a first call, which is the one that is checked and timed.
#include <algorithm>
#include <cstring>
#include <map>

#include "build/recording.h"
#include "core/launch_plan_order.h"

namespace warpwright::build {

namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::size_t kOrderedSteps = 256;  // orders of so many are compared pair by pair

Error differs(const std::string& how) {
  return Error{"solve " + how +
               " when it is called once more by the same process: what it does must not depend on "
               "earlier calls"};
}

bool is_memory(const PlanStep& step) {
  return std::holds_alternative<Allocate>(step) || std::holds_alternative<Free>(step);
}

class Repetition {
 public:
  Repetition(const LaunchPlan& plan, const LaterCall& later, const ReadsParameter& reads)
      : plan_(plan),
        later_(later.recording.plan),
        past_(later.recording.past),
        reads_(reads),
        addresses_(addresses_of(later_, later.seed)) {}

  Status run() {
    if (plan_.stack_bytes != later_.stack_bytes || plan_.heap_bytes != later_.heap_bytes) {
      return differs("sets other limits of the device");
    }
    if (!is_orderly()) return differs("leaves a plan that cannot be used");
    std::size_t next = 0;
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      if (is_memory(plan_.steps[i])) continue;
      while (next < later_.steps.size() && is_memory(later_.steps[next])) ++next;
      if (next < later_.steps.size() && matches(plan_.steps[i], later_.steps[next])) {
        pairs_.emplace_back(i, next++);
      } else if (!sets_up(plan_.steps[i])) {
        return differs("asks for other launches, copies or values");
      }
    }
    while (next < later_.steps.size() && is_memory(later_.steps[next])) ++next;
    if (next < later_.steps.size()) return differs("asks for more launches or copies");
    return same_order() ? Status{} : Status{differs("orders its streams otherwise")};
  }

 private:
  /// The word of an untrusted process: no step waits for a later one.
  [[nodiscard]] bool is_orderly() const {
    for (std::size_t i = 0; i < later_.order.size(); ++i) {
      const StepOrder& order = later_.order[i];
      if (order.stream >= kMaxPlanStreams) return false;
      for (const std::uint32_t earlier : order.after) {
        if (earlier >= i) return false;
      }
    }
    return later_.order.size() == later_.steps.size();
  }

  /// Memory of its own that a first call fills and later ones find filled.
  [[nodiscard]] bool sets_up(const PlanStep& step) const {
    const auto own = [&](const PlanAddress& address) {
      return plan_.buffers[address.buffer].kind != BufferKind::argument;
    };
    if (const auto* upload = std::get_if<Upload>(&step)) return own(upload->destination);
    if (const auto* memset = std::get_if<Memset>(&step)) return own(memset->destination);
    return false;
  }

  [[nodiscard]] bool same_order() const {
    if (pairs_.size() > kOrderedSteps) return true;
    const PlanOrder first(plan_), later(later_);
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      for (std::size_t k = i + 1; k < pairs_.size(); ++k) {
        if (first.before(pairs_[i].first, pairs_[k].first) !=
            later.before(pairs_[i].second, pairs_[k].second)) {
          return false;
        }
      }
    }
    return true;
  }

  /// Whether the later call's word is the plan's address. Scratch memory may be any that the
  /// process has allocated, always the same for the same.
  bool points_to(const PlanAddress& address, std::uint64_t word) {
    const PlanBuffer& wanted = plan_.buffers[address.buffer];
    const std::uint64_t base = word - static_cast<std::uint64_t>(address.offset);
    const auto found = std::find(addresses_.begin(), addresses_.end(), base);
    if (found == addresses_.end()) return false;
    const auto number = static_cast<std::size_t>(found - addresses_.begin());
    const PlanBuffer& given = later_.buffers[number];
    if (past_[number] || given.kind != wanted.kind || given.argument != wanted.argument ||
        given.symbol != wanted.symbol) {
      return false;
    }
    if (wanted.kind != BufferKind::scratch) return given.bytes == wanted.bytes;
    if (given.bytes < wanted.bytes) return false;
    const auto [bound, is_new] = scratch_.emplace(address.buffer, number);
    if (!is_new) return bound->second == number;
    return std::count_if(scratch_.begin(), scratch_.end(),
                         [&](const auto& pair) { return pair.second == number; }) == 1;
  }

  template <class Matters>
  bool same_bytes(const std::string& bytes, const std::vector<AddressUse>& pointers,
                  std::string other, const Matters& matters) {
    if (bytes.size() != other.size()) return false;
    for (const AddressUse& use : pointers) {
      std::uint64_t word = 0;
      std::memcpy(&word, other.data() + use.position, kWord);
      if (!points_to(use.address, word)) return false;
      std::memset(other.data() + use.position, 0, kWord);
    }
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (bytes[i] != other[i] && matters(i)) return false;
    }
    return true;
  }

  bool same(const KernelLaunch& step, const KernelLaunch& given) {
    const auto is_read = [&](std::size_t position) { return reads_(step.kernel, position); };
    return step.kernel == given.kernel && step.grid == given.grid && step.block == given.block &&
           step.cluster == given.cluster && step.clustered == given.clustered &&
           step.shared_bytes == given.shared_bytes && step.cooperative == given.cooperative &&
           step.overlaps == given.overlaps && step.carveout == given.carveout &&
           same_bytes(step.parameters, step.pointers, given.parameters, is_read);
  }

  bool same(const Upload& step, const Upload& given) {
    const auto all = [](std::size_t) { return true; };
    return step.height == given.height && step.pitch == given.pitch &&
           points_to(step.destination, word_of(given.destination)) &&
           same_bytes(step.bytes, step.pointers, given.bytes, all);
  }

  bool same(const Memset& step, const Memset& given) {
    return step.value == given.value && step.element_bytes == given.element_bytes &&
           step.width == given.width && step.height == given.height && step.pitch == given.pitch &&
           points_to(step.destination, word_of(given.destination));
  }

  bool same(const DeviceCopy& step, const DeviceCopy& given) {
    return step.width_bytes == given.width_bytes && step.height == given.height &&
           step.destination_pitch == given.destination_pitch &&
           step.source_pitch == given.source_pitch &&
           points_to(step.destination, word_of(given.destination)) &&
           points_to(step.source, word_of(given.source));
  }

  template <class Step>
  bool same(const Step&, const Step&) {
    return false;  // memory: left out above
  }

  bool matches(const PlanStep& step, const PlanStep& given) {
    if (step.index() != given.index()) return false;
    const auto before = scratch_;
    const bool matching = std::visit(
        [&](const auto& mine) { return same(mine, std::get<std::decay_t<decltype(mine)>>(given)); },
        step);
    if (!matching) scratch_ = before;
    return matching;
  }

  /// Addresses of recordings are the process's own numbers.
  static std::uint64_t word_of(const PlanAddress& address) {
    return static_cast<std::uint64_t>(address.offset);
  }

  const LaunchPlan& plan_;
  const LaunchPlan& later_;
  const std::vector<bool>& past_;
  const ReadsParameter& reads_;
  std::vector<std::uint64_t> addresses_;
  std::map<std::uint32_t, std::size_t> scratch_;  ///< the plan's scratch buffers -> the later one's
  std::vector<std::pair<std::size_t, std::size_t>> pairs_;  ///< steps that match
};

}  // namespace

Status does_the_same(const LaunchPlan& plan, const LaterCall& later, const ReadsParameter& reads) {
  return Repetition(plan, later, reads).run();
}

}  // namespace warpwright::build
