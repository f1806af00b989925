// SPDX-License-Identifier: Apache-2.0
// Two recordings of one call, by two processes whose devices have their memory elsewhere. Whatever
// is the same in both is data; whatever moved exactly as a buffer did is a pointer to it. Nothing
// else may differ.
#include <cstring>
#include <map>

#include "build/recording.h"

namespace warpwright::build {

namespace {

constexpr std::size_t kPairWord = sizeof(std::uint64_t);

std::uint64_t word_at(std::string_view bytes, std::size_t position) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data() + position, kPairWord);
  return word;
}

class Comparison {
 public:
  Comparison(const Pair& pair, const ReadsParameter& reads)
      : pair_(pair), reads_(reads), plan_(pair.first.plan) {}

  Result<LaunchPlan> run() {
    const LaunchPlan& other = pair_.second.plan;
    if (plan_.buffers != other.buffers) return differs("allocates other memory");
    if (plan_.steps.size() != other.steps.size() || plan_.order != other.order ||
        plan_.stack_bytes != other.stack_bytes || plan_.heap_bytes != other.heap_bytes) {
      return differs("asks for other launches, copies or orders among them");
    }
    bases_ = addresses_of(plan_, pair_.first_seed);
    const auto elsewhere = addresses_of(plan_, pair_.second_seed);
    for (std::size_t i = 0; i < bases_.size(); ++i) {
      moves_.emplace(elsewhere[i] - bases_[i], static_cast<std::uint32_t>(i));
    }
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      if (plan_.steps[i].index() != other.steps[i].index()) {
        return differs("asks for other steps");
      }
      WW_CHECK(std::visit(
          [&](auto& step) {
            return agree(step, std::get<std::decay_t<decltype(step)>>(other.steps[i]));
          },
          plan_.steps[i]));
    }
    return std::move(plan_);
  }

 private:
  static Error differs(const std::string& how) {
    return Error{"solve " + how +
                 " when the same call is made once more: its host code depends on addresses, on "
                 "time or on chance"};
  }

  /// The buffer that both words point to.
  [[nodiscard]] std::optional<PlanAddress> pointer(std::uint64_t first,
                                                   std::uint64_t second) const {
    const auto found = moves_.find(second - first);
    if (found == moves_.end()) return std::nullopt;
    return PlanAddress{found->second, static_cast<std::int64_t>(first - bases_[found->second])};
  }

  Status resolve(PlanAddress& address, const PlanAddress& other, const char* what) const {
    const auto found = pointer(static_cast<std::uint64_t>(address.offset),
                               static_cast<std::uint64_t>(other.offset));
    if (!found) return differs(std::string(what) + " another place");
    address = *found;
    return {};
  }

  /// Finds the pointers among bytes and puts zeros in their place, as in that of differences that
  /// do not matter. The position of the first difference that does, or the size.
  template <class Matters>
  std::size_t find_pointers(std::string& bytes, std::string other, const Matters& matters,
                            std::vector<AddressUse>& pointers) const {
    std::size_t at = 0;
    while (at < bytes.size()) {
      if (bytes[at] == other[at]) {
        ++at;
      } else if (const auto use = pointer_around(bytes, other, at, pointers)) {
        pointers.push_back(*use);
        at = use->position + kPairWord;
      } else if (matters(at)) {
        return at;
      } else {
        bytes[at] = other[at] = 0;
        ++at;
      }
    }
    for (const AddressUse& use : pointers) std::memset(bytes.data() + use.position, 0, kPairWord);
    return at;
  }

  /// A pointer that covers a byte which differs: at a natural place, or at any.
  [[nodiscard]] std::optional<AddressUse> pointer_around(
      const std::string& bytes, const std::string& other, std::size_t at,
      const std::vector<AddressUse>& before) const {
    const std::size_t low = before.empty() ? 0 : before.back().position + kPairWord;
    const auto tried = [&](std::size_t position) -> std::optional<AddressUse> {
      if (position < low || position + kPairWord > bytes.size()) return std::nullopt;
      const auto found = pointer(word_at(bytes, position), word_at(other, position));
      if (!found) return std::nullopt;
      return AddressUse{position, *found};
    };
    if (const auto natural = tried(at / kPairWord * kPairWord)) return natural;
    for (std::size_t back = 0; back < kPairWord && back <= at; ++back) {
      if (const auto packed = tried(at - back)) return packed;
    }
    return std::nullopt;
  }

  Status agree(KernelLaunch& step, const KernelLaunch& given) const {
    KernelLaunch other = given;
    if (other.parameters.size() != step.parameters.size())
      return differs("launches another kernel");
    // Padding between a structure's members is whatever was there, and nobody reads it.
    const auto is_read = [&](std::size_t position) { return reads_(step.kernel, position); };
    const std::size_t at = find_pointers(step.parameters, other.parameters, is_read, step.pointers);
    if (at < step.parameters.size()) {
      return differs("gives " + step.kernel + " another value in byte " + std::to_string(at) +
                     " of its parameters");
    }
    other.parameters = step.parameters;
    other.pointers = step.pointers;
    return other == step ? Status{} : Status{differs("launches another kernel or grid")};
  }

  Status agree(Upload& step, const Upload& given) const {
    if (step.bytes.size() != given.bytes.size()) return differs("copies other data");
    const auto all = [](std::size_t) { return true; };
    if (find_pointers(step.bytes, given.bytes, all, step.pointers) < step.bytes.size()) {
      return differs("copies other data to the device");
    }
    WW_CHECK(resolve(step.destination, given.destination, "copies data to"));
    Upload other = given;
    other.destination = step.destination;
    other.bytes = step.bytes;
    other.pointers = step.pointers;
    return other == step ? Status{} : Status{differs("copies other data")};
  }

  Status agree(Memset& step, const Memset& given) const {
    WW_CHECK(resolve(step.destination, given.destination, "sets"));
    Memset other = given;
    other.destination = step.destination;
    return other == step ? Status{} : Status{differs("sets other memory")};
  }

  Status agree(DeviceCopy& step, const DeviceCopy& given) const {
    WW_CHECK(resolve(step.destination, given.destination, "copies to"));
    WW_CHECK(resolve(step.source, given.source, "copies from"));
    DeviceCopy other = given;
    other.destination = step.destination;
    other.source = step.source;
    return other == step ? Status{} : Status{differs("copies other memory")};
  }

  template <class Step>
  Status agree(Step& step, const Step& given) const {
    return given == step ? Status{} : Status{differs("allocates other memory")};
  }

  const Pair& pair_;
  const ReadsParameter& reads_;
  LaunchPlan plan_;
  std::vector<std::uint64_t> bases_;
  std::map<std::uint64_t, std::uint32_t> moves_;  ///< how far a buffer moved -> buffer
};

}  // namespace

Result<LaunchPlan> common_plan(const Pair& pair, const ReadsParameter& reads) {
  return Comparison(pair, reads).run();
}

}  // namespace warpwright::build
