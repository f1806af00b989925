// SPDX-License-Identifier: Apache-2.0
#include "evaluate/spot_checks.h"

#include <algorithm>

#include "evaluate/inputs.h"

namespace warpwright::evaluate {

namespace {

// Results that differ from call to call: sums in any order. They are small, as a rule.
constexpr std::uint64_t kMostRepeatedBytes = std::uint64_t{1} << 30;

}  // namespace

SpotChecks::SpotChecks(std::size_t sets, std::uint64_t secret) : sets_(sets), random_(secret) {
  content_ = random_() % std::min<std::size_t>(sets, kContents);
}

Status SpotChecks::after_call(std::size_t set, const Digest& digest, const Fetch& fetch) {
  if (left_ == 0 || set % kContents != content_ || random_() % 4 == 0) return {};
  --left_;
  return look(digest, fetch);
}

std::size_t SpotChecks::last_set() {
  const std::size_t same = (sets_ - content_ + kContents - 1) / kContents;
  return content_ + random_() % same * kContents;
}

Status SpotChecks::look(const Digest& digest, const Fetch& fetch) {
  WW_TRY(const std::uint64_t bits, digest());
  if (std::find(seen_.begin(), seen_.end(), bits) != seen_.end()) return {};
  if (kept_bytes_ > kMostRepeatedBytes) return {};
  seen_.push_back(bits);
  WW_TRY(auto fetched, fetch());
  for (const auto& output : fetched.outputs) kept_bytes_ += output.size();
  kept_.push_back(std::move(fetched));
  return {};
}

}  // namespace warpwright::evaluate
