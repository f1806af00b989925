// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/verdict.h"
#include "verify/reference.h"

namespace warpwright::verify {

struct WrongElement {
  std::uint64_t index = 0;
  double expected = 0;
  double got = 0;
  double allowed = -1;  ///< how far it may be from the expected value; negative: not known
};

/// Why an output is not accepted.
struct Mismatch {
  Verdict verdict = Verdict::mismatch;  ///< mismatch or precision
  std::string argument;                 ///< the output concerned
  std::uint64_t wrong = 0;              ///< 0 when no single element can be blamed
  std::uint64_t total = 0;
  std::vector<WrongElement> first;  ///< the first few, for people and models
  std::string message;              ///< a sentence for the model: no tolerances, no seeds
};

/// Whether the rule of this instance compares with expected values. Matrix products above a certain
/// size are checked from the inputs alone, and `expected` may then be empty.
Result<bool> needs_expected(const Instance& instance);

/// For an instance without expected values: some of these elements of one output, chosen by a
/// secret, against sums of their own. For outputs of which only a part was written.
Result<std::optional<Mismatch>> check_entries(const Instance& instance,
                                              std::span<const Bytes> inputs, std::size_t argument,
                                              std::span<const std::byte> got,
                                              std::span<const std::uint64_t> elements);

/// All outputs by the task's rule. Spans are per argument: `inputs` as generated (before the
/// call), `outputs` as found after it, empty for other arguments. The error is the judge's own.
Result<std::optional<Mismatch>> check_outputs(const Instance& instance,
                                              std::span<const Bytes> inputs,
                                              std::span<const Expected> expected,
                                              std::span<const Bytes> outputs);

/// How far the elements of one output are off, in units of what its rule allows.
struct Spread {
  double worst = 0;          ///< infinite where a number is none
  std::uint64_t beyond = 0;  ///< elements that are not accepted
  double share = 0;          ///< the largest error, over the root mean square of what is expected
};

/// Of each argument; nothing of those whose rule is not by element, or that are no outputs.
Result<std::vector<std::optional<Spread>>> spreads_of(const Instance& instance,
                                                      std::span<const Bytes> inputs,
                                                      std::span<const Expected> expected,
                                                      std::span<const Bytes> outputs);

/// Whether results that a rule refuses are off as those are that somebody else computed in the
/// task's own types, from the same inputs or others of the same size: no element is further off
/// than four times the worst of those, and not many more are beyond the rule's bound than of those,
/// of which few are, or by little. Where results hang on the rounding of what they come from (a
/// variance of two numbers, a sign next to zero), no bound on single elements is right. Rules by
/// element alone; all other outputs must pass.
Result<bool> is_rounding(const Instance& instance, std::span<const Bytes> inputs,
                         std::span<const Expected> expected, std::span<const Bytes> outputs,
                         std::span<const std::optional<Spread>> theirs);

}  // namespace warpwright::verify
