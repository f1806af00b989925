// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "evaluate/session.h"

namespace warpwright::evaluate {

/// Looks at the results of timed calls that nobody can tell from the others: a kernel that works in
/// some calls only is wrong in one of them. Results with the same bits as others of the same inputs
/// are right when those are, and need not leave the device.
class SpotChecks {
 public:
  using Digest = std::function<Result<std::uint64_t>()>;
  using Fetch = std::function<Result<Fetched>()>;

  /// Set s has the values of set s % kContents.
  SpotChecks(std::size_t sets, std::uint64_t secret);

  /// After a call with this one of the sets.
  Status after_call(std::size_t set, const Digest& digest, const Fetch& fetch);
  /// A set whose last results are to be looked at in any case.
  std::size_t last_set();
  Status at_end(const Digest& digest, const Fetch& fetch) { return look(digest, fetch); }

  /// All results that differ, of calls with the values of one set: last_set().
  std::vector<Fetched> take() { return std::exchange(kept_, {}); }

 private:
  Status look(const Digest& digest, const Fetch& fetch);

  std::size_t sets_;
  std::mt19937_64 random_;
  std::size_t content_ = 0;  ///< only calls with these values are looked at
  int left_ = 8;             ///< calls to be looked at
  std::vector<std::uint64_t> seen_;
  std::vector<Fetched> kept_;
  std::uint64_t kept_bytes_ = 0;
};

}  // namespace warpwright::evaluate
