// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "base/result.h"
#include "verify/cases.h"
#include "verify/reference.h"

namespace warpwright::evaluate {

struct Context;
struct Prepared;

/// The CPU's part of a case: made while another candidate has the device, taken once.
class Ahead {
 public:
  void put(const verify::Case& item, std::uint64_t seed, std::vector<verify::Bytes> inputs,
           std::optional<std::vector<verify::Expected>> expected);
  std::optional<std::vector<verify::Bytes>> take_inputs(const verify::Case& item,
                                                        std::uint64_t seed);
  std::optional<std::vector<verify::Expected>> take_expected(const verify::Case& item,
                                                             std::uint64_t seed);

 private:
  using Key = std::tuple<const TaskSize*, const InputVariant*, std::uint64_t>;
  std::map<Key, std::vector<verify::Bytes>> inputs_;
  std::map<Key, std::vector<verify::Expected>> expected_;
};

/// Inputs and expected values of the validation cases that the host makes, and inputs of the timed
/// calls of comparisons, as far as they are small. Without a reference there are no expected
/// values.
Result<Ahead> make_ahead(const Prepared& prepared, const verify::ExpectedSource* reference,
                         Context& context);

/// The seed of the n-th set of inputs of a judgement.
std::uint64_t derived_seed(std::uint64_t seed, std::uint64_t n);

/// Timed calls rotate through so many sets of inputs: none is still in a cache, and no address or
/// value is met twice in a row. Where memory lies shows in the times of small calls, by several
/// percent: many places make the median that of a usual one. Set s has the values of set s %
/// kContents.
inline constexpr std::uint64_t kContents = 3;
std::uint64_t input_sets(std::uint64_t footprint_bytes);

/// The first of the sets that no other call is run with, and whether a size has any: what may be
/// kept between calls behind the judge's back (shared memory, registers) is small, and larger
/// answers do not fit.
inline constexpr std::uint64_t kFreshSet = 1000;
Result<bool> is_tried_fresh(const Task& task, const TaskSize& size);

/// The seed of one of the sets that a size is timed with, apart from those of validation.
std::uint64_t timed_seed(const Prepared& prepared, std::uint64_t size_number, std::uint64_t set);

}  // namespace warpwright::evaluate
