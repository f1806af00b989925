// SPDX-License-Identifier: Apache-2.0
// Matrix products. C = A B is too dear to recompute when it is large; C r = A (B r) for random r is
// not, and a wrong row satisfies it only by chance. Sampled entries then say how accurate it is.
#include <fmt/format.h>

#include <cmath>

#include "base/one_way.h"
#include "verify/projection.h"
#include "verify/rules.h"

namespace warpwright::verify {

namespace {

constexpr int kVectors = 4;

/// The matrices, row-major, and the norms that say how large an error is large.
struct Product {
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::size_t inner = 0;
  Floats left_floats, right_floats;
  std::span<const float> left;
  std::span<const float> right;
  std::vector<double> left_norms;   ///< of rows; negative until asked for
  std::vector<double> right_norms;  ///< of columns
  double right_norm = 0;            ///< Frobenius

  double left_norm(std::size_t i) {
    if (left_norms[i] < 0) {
      double sum = 0;
      for (std::size_t k = 0; k < inner; ++k)
        sum += double{left[i * inner + k]} * left[i * inner + k];
      left_norms[i] = std::sqrt(sum);
    }
    return left_norms[i];
  }
  /// The standard deviation of entry (i, j) if the signs were random.
  double entry_scale(std::size_t i, std::size_t j) {
    return left_norm(i) * right_norms[j] / std::sqrt(static_cast<double>(inner));
  }
};

Result<Product> product_of(const RuleInput& input) {
  Product p;
  WW_TRY(const double rows, input.number("rows"));
  WW_TRY(const double cols, input.number("cols"));
  WW_TRY(const double inner, input.number("inner"));
  WW_TRY(p.left_floats, input.floats("left"));
  WW_TRY(p.right_floats, input.floats("right"));
  p.left = p.left_floats.values;
  p.right = p.right_floats.values;
  p.rows = static_cast<std::size_t>(rows);
  p.cols = static_cast<std::size_t>(cols);
  p.inner = static_cast<std::size_t>(inner);
  const bool fits = p.left.size() == p.rows * p.inner && p.right.size() == p.inner * p.cols &&
                    input.count == p.rows * p.cols;
  if (!fits || input.count == 0)
    return Error{"freivalds_samples: rows, cols and inner do not fit the buffers"};
  p.left_norms.assign(p.rows, -1);
  p.right_norms.assign(p.cols, 0);
  for (std::size_t k = 0; k < p.inner; ++k) {
    for (std::size_t j = 0; j < p.cols; ++j)
      p.right_norms[j] += double{p.right[k * p.cols + j]} * p.right[k * p.cols + j];
  }
  for (auto& norm : p.right_norms) {
    p.right_norm += norm;
    norm = std::sqrt(norm);
  }
  p.right_norm = std::sqrt(p.right_norm);
  return p;
}

struct Tolerances {
  double rtol = 0;
  double alpha = 0;
  double rel_rms = 0;
  double residual = 0;
};

Result<Tolerances> tolerances_of(const RuleInput& input) {
  Tolerances t;
  WW_TRY(t.rtol, input.number("rtol"));
  WW_TRY(t.alpha, input.number("alpha_rms"));
  WW_TRY(t.rel_rms, input.number("rel_rms"));
  WW_TRY(t.residual, input.number("residual"));
  return t;
}

/// What an entry may be off. Half of the smallest half: nobody rounds better near 0.
double entry_bound(const RuleInput& input, const Tolerances& t, double wanted, double scale) {
  const double underflow = input.argument.type == ElementType::f16 ? 0x1p-25 : 0;
  return t.rtol * std::fabs(wanted) + t.alpha * scale + underflow;
}

/// Compares entries one at a time and keeps the sums for the relative RMS error. The RMS gate is
/// relative to the entries' scale as well, so that cancelling entries do not fail honest sums.
class Entries {
 public:
  Entries(const RuleInput& input, Product& product, const Tolerances& tolerances)
      : input_(input), product_(product), tolerances_(tolerances), wrong_(input) {}

  void compare(std::size_t i, std::size_t j, double expected) {
    const std::size_t at = i * product_.cols + j;
    const double scale = product_.entry_scale(i, j);
    const double got = input_.got_at(at);
    const double wanted = expected;
    const double bound = entry_bound(input_, tolerances_, wanted, scale);
    if (!accepted(input_.argument.type, got, wanted, bound))
      wrong_.add(at, wanted, got, std::max(std::fabs(wanted), scale), bound);
    if (!std::isfinite(got) || !std::isfinite(wanted) || scale <= 0) return;
    const double size = std::max(scale, std::fabs(wanted));
    const double error = error_beyond_step(input_.argument.type, got, wanted) / size;
    errors_ += error * error;
    ++count_;
  }
  [[nodiscard]] std::optional<Mismatch> result() const {
    if (!wrong_.none()) return wrong_.result();
    if (count_ == 0 || std::sqrt(errors_ / static_cast<double>(count_)) <= tolerances_.rel_rms)
      return std::nullopt;
    return whole_mismatch(input_, Verdict::precision, kInaccurate);
  }

 private:
  const RuleInput& input_;
  Product& product_;
  const Tolerances& tolerances_;
  WrongElements wrong_;
  double errors_ = 0;
  std::size_t count_ = 0;
};

double entry(const Product& p, std::size_t i, std::size_t j) {
  double sum = 0;
  for (std::size_t k = 0; k < p.inner; ++k)
    sum += double{p.left[i * p.inner + k]} * p.right[k * p.cols + j];
  return sum;
}

/// Who knew the vectors and positions could satisfy them without the product. Nothing that a
/// kernel sees tells them.
std::uint64_t challenge_of(const Instance& instance) { return one_way(instance.seed, "challenge"); }

std::vector<double> random_vectors(std::size_t n, std::uint64_t seed) {
  std::vector<double> r(n * kVectors);
  for (std::size_t i = 0; i < r.size(); ++i) r[i] = projection_number(i, seed);
  return r;
}

// out[v] = sum over j of row[j] * r[j][v], all four vectors in one pass; returns the row's square
// sum.
double project(const float* row, std::size_t n, const double* r, double* out) {
  double sum[kVectors] = {};
  double squares = 0;
  for (std::size_t j = 0; j < n; ++j) {
    const double value = row[j];
    for (int v = 0; v < kVectors; ++v) sum[v] += value * r[j * kVectors + v];
    squares += value * value;
  }
  for (int v = 0; v < kVectors; ++v) out[v] = sum[v];
  return squares;
}

bool entry_accepted(const RuleInput& input, Product& p, const Tolerances& t, std::size_t i,
                    std::size_t j) {
  const double wanted = entry(p, i, j);
  const double bound = entry_bound(input, t, wanted, p.entry_scale(i, j));
  return accepted(input.argument.type, input.got_at(i * p.cols + j), wanted, bound);
}

/// Whether a row has entries that are no numbers, and rightly so: constants of 16 make sums that no
/// half holds. The first and the last of them tell. The row cannot be projected then, and its
/// sampled entries have to do.
bool row_overflows(const RuleInput& input, Product& p, const Tolerances& t, std::size_t i) {
  const auto is_none = [&](std::size_t j) { return !std::isfinite(input.got_at(i * p.cols + j)); };
  std::size_t first = 0, last = p.cols - 1;
  while (first < last && !is_none(first)) ++first;
  while (last > first && !is_none(last)) --last;
  return entry_accepted(input, p, t, i, first) && entry_accepted(input, p, t, i, last);
}

RuleResult check_projections(const RuleInput& input, Product& p, const Tolerances& t) {
  const auto r = random_vectors(p.cols, challenge_of(input.instance));
  std::vector<double> right_r(p.inner * kVectors);
  for (std::size_t k = 0; k < p.inner; ++k)
    project(p.right.data() + k * p.cols, p.cols, r.data(), right_r.data() + k * kVectors);
  WW_TRY(const Floats output, as_floats(input.argument.type, input.got));
  const float* got = output.values.data();
  std::size_t wrong_rows = 0;
  std::size_t first_row = 0;
  for (std::size_t i = 0; i < p.rows; ++i) {
    double want[kVectors];
    double have[kVectors];
    const double left_squares = project(p.left.data() + i * p.inner, p.inner, right_r.data(), want);
    const double squares = project(got + i * p.cols, p.cols, r.data(), have);
    const double usual = std::sqrt(left_squares / static_cast<double>(p.inner)) * p.right_norm;
    const double scale = std::max(usual, std::sqrt(squares));
    bool ok = std::isfinite(squares) || row_overflows(input, p, t, i);
    for (int v = 0; std::isfinite(squares) && v < kVectors; ++v)
      ok = ok && std::fabs(want[v] - have[v]) <= t.residual * scale;
    if (!ok && wrong_rows++ == 0) first_row = i;
  }
  if (wrong_rows == 0) return std::optional<Mismatch>{};
  auto mismatch = whole_mismatch(input, Verdict::mismatch,
                                 fmt::format("is wrong in {} of {} rows; the first is row {}.",
                                             wrong_rows, p.rows, first_row));
  mismatch.wrong = wrong_rows;
  mismatch.total = p.rows;
  return std::optional(std::move(mismatch));
}

}  // namespace

Result<bool> freivalds_is_full(const Instance& instance, const CheckRule& check) {
  WW_TRY(const double rows, rule_number(instance, check, "rows"));
  WW_TRY(const double cols, rule_number(instance, check, "cols"));
  WW_TRY(const double inner, rule_number(instance, check, "inner"));
  WW_TRY(const double full, rule_number(instance, check, "full"));
  return rows * cols * inner <= full;
}

RuleResult check_freivalds(const RuleInput& input) {
  WW_TRY(auto product, product_of(input));
  WW_TRY(const auto tolerances, tolerances_of(input));
  WW_TRY(const bool full, freivalds_is_full(input.instance, input.check));
  Entries entries(input, product, tolerances);
  if (full) {
    for (std::size_t i = 0; i < product.rows; ++i) {
      for (std::size_t j = 0; j < product.cols; ++j)
        entries.compare(i, j, input.expected_at(i * product.cols + j));
    }
    return entries.result();
  }
  const std::uint64_t challenge = challenge_of(input.instance);
  for (std::size_t k = 0; k < kSampledEntries; ++k) {
    const auto [i, j] = sampled_entry(k, product.rows, product.cols, challenge);
    entries.compare(i, j, entry(product, i, j));
  }
  if (auto mismatch = entries.result()) return mismatch;
  return check_projections(input, product, tolerances);
}

RuleResult check_freivalds_entries(const RuleInput& input,
                                   std::span<const std::uint64_t> elements) {
  WW_TRY(auto product, product_of(input));
  WW_TRY(const auto tolerances, tolerances_of(input));
  Entries entries(input, product, tolerances);
  const std::uint64_t challenge = challenge_of(input.instance);
  for (std::uint64_t k = 0; k < kSampledEntries && !elements.empty(); ++k) {
    const std::uint64_t at = elements[one_way(challenge, "written entry", k) % elements.size()];
    const std::size_t i = at / product.cols, j = at % product.cols;
    entries.compare(i, j, entry(product, i, j));
  }
  return entries.result();
}

}  // namespace warpwright::verify
