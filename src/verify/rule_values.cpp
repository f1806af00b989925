// SPDX-License-Identifier: Apache-2.0
// Rules that compare numbers within a bound: elementwise, rounded, scalar and scan.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "base/cores.h"
#include "verify/rules.h"

namespace warpwright::verify {

namespace {

/// A sum of squares, and of how many.
struct Squares {
  double sum = 0;
  std::size_t count = 0;
};

/// Which expected values say how large results are.
enum class Scale { of_all, of_nonzero };

Squares squares_in(const RuleInput& input, std::size_t first, std::size_t last, Scale scale) {
  Squares found;
  for (std::size_t i = first; i < last; ++i) {
    const double value = representable(input.argument.type, input.expected_at(i));
    if (!std::isfinite(value) || (value == 0 && scale == Scale::of_nonzero)) continue;
    found.sum += value * value;
    ++found.count;
  }
  return found;
}

// Elements of a piece that one thread takes, and the count from which on several do. Pieces are the
// same for any number of threads, and so are the sums.
constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr std::size_t kMany = std::size_t{1} << 22;

/// part(number, first, last) for every piece of [first, last).
template <class Part>
void for_pieces(std::size_t first, std::size_t last, const Part& part) {
  const std::size_t pieces = (last - first + kPiece - 1) / kPiece;
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < pieces; i = next++)
      part(i, first + i * kPiece, std::min(last, first + (i + 1) * kPiece));
  };
  std::vector<std::thread> threads;
  const auto count = std::min<std::size_t>(pieces, static_cast<std::size_t>(usable_cores()));
  for (std::size_t i = 1; i < count; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
}

// Root mean square of the finite expected values in [first, last).
double rms(const RuleInput& input, std::size_t first, std::size_t last, Scale scale) {
  Squares all;
  if (last - first < kMany) {
    all = squares_in(input, first, last, scale);
  } else {
    std::vector<Squares> parts((last - first + kPiece - 1) / kPiece);
    for_pieces(first, last, [&](std::size_t number, std::size_t from, std::size_t to) {
      parts[number] = squares_in(input, from, to, scale);
    });
    for (const Squares& part : parts) {
      all.sum += part.sum;
      all.count += part.count;
    }
  }
  return all.count == 0 ? 0 : std::sqrt(all.sum / static_cast<double>(all.count));
}

/// The bounds of a row, and what is added up over rows.
struct Bounds {
  double rtol = 0;
  double atol = 0;
  double alpha = 0;
};
struct Errors {
  double errors = 0;
  double squares = 0;
  bool wrong = false;
};

/// on_wrong(index, expected, got, bound) for each element that is.
template <class OnWrong>
Errors errors_in(const RuleInput& input, std::size_t first, std::size_t last, const Bounds& bounds,
                 double scale, const OnWrong& on_wrong) {
  Errors found;
  for (std::size_t i = first; i < last; ++i) {
    const double expected = input.expected_at(i);
    const double got = input.got_at(i);
    if (std::isnan(expected)) continue;
    const double bound = bounds.rtol * std::fabs(expected) + bounds.atol + bounds.alpha * scale;
    if (!accepted(input.argument.type, got, expected, bound)) {
      found.wrong = true;
      on_wrong(i, expected, got, bound);
    }
    if (!std::isfinite(expected) || !std::isfinite(got)) continue;
    const double error = error_beyond_step(input.argument.type, got, expected);
    found.errors += error * error;
    found.squares += expected * expected;
  }
  return found;
}

/// The same by several threads, without a word on which elements are wrong.
Errors errors_of_many(const RuleInput& input, std::size_t first, std::size_t last,
                      const Bounds& bounds, double scale) {
  std::vector<Errors> parts((last - first + kPiece - 1) / kPiece);
  for_pieces(first, last, [&](std::size_t number, std::size_t from, std::size_t to) {
    parts[number] = errors_in(input, from, to, bounds, scale, [](auto...) {});
  });
  Errors all;
  for (const Errors& part : parts) {
    all.errors += part.errors;
    all.squares += part.squares;
    all.wrong = all.wrong || part.wrong;
  }
  return all;
}

}  // namespace

namespace {

/// Numbers of the rule "elementwise".
struct Elementwise {
  Bounds bounds;
  std::size_t width = 0;  ///< of a row, whose values say how large results are
  Scale scale = Scale::of_all;
};
Result<Elementwise> elementwise_of(const RuleInput& input) {
  WW_TRY(const double rtol, input.number("rtol"));
  WW_TRY(const double atol, input.number("atol"));
  WW_TRY(const double alpha, input.number("alpha_rms"));
  WW_TRY(const double row, input.number("row"));
  WW_TRY(const double nonzero, input.number("nonzero"));
  return Elementwise{{rtol, atol, alpha},
                     row >= 1 ? static_cast<std::size_t>(row) : input.count,
                     nonzero != 0 ? Scale::of_nonzero : Scale::of_all};
}

}  // namespace

Result<Spread> spread_elementwise(const RuleInput& input) {
  WW_TRY(const Elementwise rule, elementwise_of(input));
  Spread spread;
  for (std::size_t first = 0; first < input.count; first += rule.width) {
    const std::size_t last = std::min<std::size_t>(input.count, first + rule.width);
    const double scale = rms(input, first, last, rule.scale);
    for (std::size_t i = first; i < last; ++i) {
      const double expected = input.expected_at(i);
      const double got = input.got_at(i);
      if (std::isnan(expected)) continue;
      const double bound =
          rule.bounds.rtol * std::fabs(expected) + rule.bounds.atol + rule.bounds.alpha * scale;
      const bool good = accepted(input.argument.type, got, expected, bound);
      if (!good) ++spread.beyond;
      if (!good && !std::isfinite(got - expected)) {
        spread.worst = std::numeric_limits<double>::infinity();
      } else if (bound > 0 && std::isfinite(got - expected)) {
        const double error = error_beyond_step(input.argument.type, got, expected);
        spread.worst = std::max(spread.worst, error / bound);
        if (!good) spread.share = std::max(spread.share, error / scale);
      } else if (!good) {
        spread.worst = std::numeric_limits<double>::infinity();  // nothing is allowed there
      }
    }
  }
  return spread;
}

namespace {

// float64 has no digit of results that are so much smaller than what they come from.
constexpr double kNoDigits = 0x1p-34;
// float32 may leave so much of them.
constexpr double kLeftOver = 0x1p-16;
constexpr std::size_t kLookedAt = 4096;  // of an input
// Beside a huge input every result is small.
constexpr double kUsualInput = 16;

/// The largest magnitude among the first numbers of each input.
double largest_of_inputs(const RuleInput& input) {
  double largest = 0;
  const auto& arguments = input.instance.task->arguments;
  for (std::size_t i = 0; i < arguments.size() && i < input.inputs.size(); ++i) {
    if (!is_buffer(arguments[i]) || !is_floating(arguments[i].type)) continue;
    const std::size_t count = input.inputs[i].size() / bytes_of(arguments[i].type);
    for (std::size_t k = 0; k < std::min(count, kLookedAt); ++k) {
      const double value = std::fabs(element_as_double(arguments[i].type, input.inputs[i], k));
      if (std::isfinite(value)) largest = std::max(largest, std::min(value, kUsualInput));
    }
  }
  return largest;
}

}  // namespace

bool is_nothing(const RuleInput& input) {
  const double scale = largest_of_inputs(input);
  for (std::size_t i = 0; i < input.count; ++i) {
    if (!(std::fabs(input.expected_at(i)) <= kNoDigits * scale)) return false;
    if (!(std::fabs(input.got_at(i)) <= kLeftOver * scale)) return false;
  }
  return scale > 0;
}

RuleResult check_elementwise(const RuleInput& input) {
  WW_TRY(const Elementwise rule, elementwise_of(input));
  WW_TRY(const double rel_rms, input.number("rel_rms"));
  const auto& [bounds, width, of] = rule;
  const std::size_t count = input.count;
  WrongElements wrong(input);
  double error_squares = 0;
  double squares = 0;
  for (std::size_t first = 0; first < count; first += width) {
    const std::size_t last = std::min(count, first + width);
    const double scale = rms(input, first, last, of);
    Errors row_errors;
    if (last - first >= kMany) row_errors = errors_of_many(input, first, last, bounds, scale);
    if (last - first < kMany || row_errors.wrong) {
      row_errors =
          errors_in(input, first, last, bounds, scale,
                    [&](std::size_t i, double expected, double got, double bound) {
                      wrong.add(i, expected, got, std::max(std::fabs(expected), scale), bound);
                    });
    }
    error_squares += row_errors.errors;
    squares += row_errors.squares;
  }
  if (!wrong.none()) return wrong.result();
  if (squares > 0 && std::sqrt(error_squares / squares) > rel_rms) {
    return std::optional<Mismatch>(whole_mismatch(input, Verdict::precision, kInaccurate));
  }
  return std::optional<Mismatch>{};
}

RuleResult check_rounded(const RuleInput& input) {
  WW_TRY(const double tie, input.number("tie"));
  WrongElements wrong(input);
  for (std::size_t i = 0; i < input.count; ++i) {
    const double expected = input.expected_at(i);
    const double got = input.got_at(i);
    if (std::isnan(expected)) continue;
    if (!within(got, expected, 0.5 + tie))
      wrong.add(i, expected, got, std::fabs(expected), 0.5 + tie);
  }
  return wrong.result();
}

// Without a scale from the reference, the expected value's own magnitude has to do.
RuleResult check_scalar(const RuleInput& input) {
  WW_TRY(const double rtol, input.number("rtol"));
  WW_TRY(const double tau, input.number("tau"));
  WW_TRY(const double atol, input.number("atol"));
  WrongElements wrong(input);
  for (std::size_t i = 0; i < input.count; ++i) {
    const double expected = input.expected_at(i);
    const double scale =
        i < input.expected.scale.size() ? input.expected.scale[i] : std::fabs(expected);
    const double got = input.got_at(i);
    if (std::isnan(expected)) continue;
    const double bound = rtol * std::fabs(expected) + tau * scale + atol;
    if (!accepted(input.argument.type, got, expected, bound))
      wrong.add(i, expected, got, std::max(std::fabs(expected), scale), bound);
  }
  return wrong.result();
}

RuleResult check_dot_products(const RuleInput& input) {
  WW_TRY(const double rtol, input.number("rtol"));
  WW_TRY(const double alpha, input.number("alpha"));
  WW_TRY(const double rel_rms, input.number("rel_rms"));
  WrongElements wrong(input);
  double errors = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < input.count; ++i) {
    const double expected = input.expected_at(i);
    const double got = input.got_at(i);
    const double scale =
        i < input.expected.scale.size() ? input.expected.scale[i] : std::fabs(expected);
    const double size = std::max(std::fabs(expected), scale);
    if (std::isnan(expected)) continue;
    const double bound = rtol * std::fabs(expected) + alpha * scale;
    if (!accepted(input.argument.type, got, expected, bound))
      wrong.add(i, expected, got, size, bound);
    if (!std::isfinite(expected) || !std::isfinite(got) || size <= 0) continue;
    const double error = error_beyond_step(input.argument.type, got, expected) / size;
    errors += error * error;
    ++count;
  }
  if (!wrong.none() || count == 0) return wrong.result();
  if (std::sqrt(errors / static_cast<double>(count)) <= rel_rms) return std::optional<Mismatch>{};
  return std::optional<Mismatch>(whole_mismatch(input, Verdict::precision, kInaccurate));
}

}  // namespace warpwright::verify
