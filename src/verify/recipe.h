// SPDX-License-Identifier: Apache-2.0
#pragma once

// A distribution with all names resolved: plain data that can be handed to a device, and the
// function that makes any single element from it. See random.h for what the code may use.

#include "core/stage_op.h"
#include "verify/random.h"

namespace warpwright::verify {

/// One stage. The stream and slot select its random numbers; n is the length of the buffer for
/// which it was written, which differs from the recipe's own in a stage taken over by like().
struct RecipeStage {
  StageOp op;
  std::uint32_t stream;
  std::uint32_t slot;
  std::uint32_t numbers;
  std::uint64_t n;
  double p[kMaxStageNumbers];
};

inline constexpr int kMaxRecipeStages = 4 * kMaxStages;

struct Recipe {
  int type;  ///< an ElementType
  int stages;
  int other_stages;  ///< of the argument that linear() multiplies with
  std::uint64_t n;
  RecipeStage stage[kMaxRecipeStages];
  RecipeStage other[kMaxRecipeStages];
};

WW_HOST_DEVICE inline RandomWords draw(const RecipeStage& s, std::uint64_t index,
                                       std::uint64_t key) {
  return philox(static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                s.stream, s.slot, key);
}

WW_HOST_DEVICE inline double uniform_draw(const RecipeStage& s, std::uint64_t index,
                                          std::uint64_t key) {
  const RandomWords r = draw(s, index, key);
  return unit_interval(r.w[0], r.w[1]);
}

WW_HOST_DEVICE inline double integer_draw(const RecipeStage& s, std::uint64_t index,
                                          std::uint64_t key) {
  const RandomWords r = draw(s, index, key);
  return s.p[0] +
         static_cast<double>(below(r.w[0], static_cast<std::uint64_t>(s.p[1] - s.p[0]) + 1));
}

/// How far along the buffer, 0 for the first element and 1 for the last.
WW_HOST_DEVICE inline double progress(std::uint64_t index, std::uint64_t n) {
  return n > 1 ? static_cast<double>(index) / static_cast<double>(n - 1) : 0.0;
}

WW_HOST_DEVICE inline double between(double first, double last, double at) {
  return std::fma(last - first, at, first);
}

WW_HOST_DEVICE inline double times_power(double value, const RecipeStage& s,
                                         std::uint64_t position) {
  const std::uint64_t span = static_cast<std::uint64_t>(s.p[3] - s.p[2]) + 1;
  const int exponent = static_cast<int>(s.p[2]) + static_cast<int>(position % span);
  double factor = 1;
  for (int i = 0; i < (exponent < 0 ? -exponent : exponent); ++i) factor *= s.p[1];
  return exponent < 0 ? value / factor : value * factor;
}

/// Factor by factor up to 64, which seeds in archives mean; by squares above.
WW_HOST_DEVICE inline double power(double base, int exponent) {
  double result = 1;
  if (exponent <= 64) {
    for (int i = 0; i < exponent; ++i) result *= base;
    return result;
  }
  for (; exponent > 0; exponent /= 2, base *= base)
    if (exponent % 2 == 1) result *= base;
  return result;
}

WW_HOST_DEVICE inline double source_value(const RecipeStage& s, std::uint64_t i,
                                          std::uint64_t key) {
  const std::uint64_t width = s.numbers > 0 && s.p[0] >= 1 ? static_cast<std::uint64_t>(s.p[0]) : 1;
  switch (s.op) {
    case StageOp::uniform:
      return between(s.p[0], s.p[1], uniform_draw(s, i, key));
    case StageOp::normal:
      return std::fma(s.p[1], bell(draw(s, i, key)), s.p[0]);
    case StageOp::constant:
      return s.p[0];
    case StageOp::ints:
      return integer_draw(s, i, key);
    case StageOp::odd_ints: {
      const std::uint64_t choices = static_cast<std::uint64_t>((s.p[1] - s.p[0]) / 2) + 1;
      return s.p[0] + 2.0 * static_cast<double>(below(draw(s, i, key).w[0], choices));
    }
    case StageOp::choice:
      return s.p[below(draw(s, i, key).w[0], s.numbers)];
    case StageOp::index:
      return static_cast<double>(i);
    case StageOp::ramp:
      return between(s.p[0], s.p[1], progress(i, s.n));
    case StageOp::organ_pipe:
      return static_cast<double>(i < s.n - 1 - i ? i : s.n - 1 - i);
    case StageOp::permutation:
      return static_cast<double>(shuffled(i, s.n, s.stream, key));
    case StageOp::skewed:
      return between(s.p[0], s.p[1], power(uniform_draw(s, i, key), static_cast<int>(s.p[2])));
    case StageOp::onehot:
      return i % width == (i / width) % width ? s.p[1] : 0.0;
    default:
      return 0;
  }
}

WW_HOST_DEVICE inline double row_statistics(double v, const RecipeStage& s, std::uint64_t i,
                                            std::uint64_t key) {
  const std::uint64_t width = static_cast<std::uint64_t>(s.p[0]);
  const RandomWords r = draw(s, i / width, key);
  const double mean = between(s.p[1], s.p[2], unit_interval(r.w[0], r.w[1]));
  const double deviation = between(s.p[3], s.p[4], unit_interval(r.w[2], r.w[3]));
  const double late = i % width >= width / 2 ? s.p[5] : 0.0;
  return std::fma(deviation, v + late, mean);
}

WW_HOST_DEVICE inline double modified_value(double v, const RecipeStage& s, std::uint64_t i,
                                            std::uint64_t key) {
  const std::uint64_t width = s.numbers > 0 && s.p[0] >= 1 ? static_cast<std::uint64_t>(s.p[0]) : 1;
  switch (s.op) {
    case StageOp::scale:
      return v * s.p[0];
    case StageOp::offset:
      return v + s.p[0];
    case StageOp::drift:
      return v * between(s.p[0], s.p[1], progress(i, s.n));
    case StageOp::trend:
      return v + between(s.p[0], s.p[1], progress(i, s.n));
    case StageOp::rows:
      return row_statistics(v, s, i, key);
    case StageOp::row_drift:
      return v * between(s.p[1], s.p[2], progress(i / width, (s.n + width - 1) / width));
    case StageOp::row_powers:
      return times_power(v, s, i / width);
    case StageOp::column_powers:
      return times_power(v, s, i % width);
    case StageOp::row_needle:
      return static_cast<double>(i / width) == s.p[1] ? s.p[2] : v;
    case StageOp::sign:
      return (draw(s, i, key).w[0] & 1u) != 0 ? -v : v;
    case StageOp::mix:
      return uniform_draw(s, i, key) < s.p[0] ? s.p[1] : v;
    case StageOp::needle:
      return static_cast<double>(i) == s.p[0] ? s.p[1] : v;
    case StageOp::every:
      return i % width == static_cast<std::uint64_t>(s.p[1]) ? v : 0.0;
    case StageOp::noise:
      return std::fma(s.p[0], bell(draw(s, i, key)), v);
    case StageOp::plus_ints:
      return v + integer_draw(s, i, key);
    case StageOp::mod:
      return std::fma(-s.p[0], std::floor(v / s.p[0]), v);
    case StageOp::div:
      return std::floor(v / s.p[0]);
    case StageOp::floor:
      return std::floor(v);
    case StageOp::sine:
      return sine_of_turns(v);
    case StageOp::poly: {
      double result = s.p[s.numbers - 1];
      for (int k = static_cast<int>(s.numbers) - 2; k >= 0; --k)
        result = std::fma(result, v, s.p[k]);
      return result;
    }
    default:
      return v;
  }
}

WW_HOST_DEVICE inline double staged_value(const RecipeStage* stages, int count, std::uint64_t i,
                                          std::uint64_t key) {
  double v = source_value(stages[0], i, key);
  for (int k = 1; k < count; ++k) v = modified_value(v, stages[k], i, key);
  return v;
}

/// Row i of the other argument, as floats, times hidden weights, plus noise.
WW_HOST_DEVICE inline double linear_value(const Recipe& recipe, std::uint64_t i,
                                          std::uint64_t key) {
  const RecipeStage& s = recipe.stage[0];
  const std::uint64_t width = static_cast<std::uint64_t>(s.p[0]);
  double sum = 0;
  for (std::uint64_t j = 0; j < width; ++j) {
    const double x =
        static_cast<float>(staged_value(recipe.other, recipe.other_stages, i * width + j, key));
    const double weight =
        s.p[1] * bell(philox(static_cast<std::uint32_t>(j), 0x77u, s.stream, 0xBE7Au, key));
    sum = std::fma(x, weight, sum);
  }
  return std::fma(s.p[2], bell(draw(s, i, key)), sum);
}

/// Element i before it is rounded to the buffer's type. Not for bits().
WW_HOST_DEVICE inline double element_value(const Recipe& recipe, std::uint64_t i,
                                           std::uint64_t key) {
  if (recipe.stage[0].op != StageOp::linear)
    return staged_value(recipe.stage, recipe.stages, i, key);
  double v = linear_value(recipe, i, key);
  for (int k = 1; k < recipe.stages; ++k) v = modified_value(v, recipe.stage[k], i, key);
  return v;
}

/// The 32 random bits of element i of a bits() buffer. Four elements share a counter.
WW_HOST_DEVICE inline std::uint32_t element_word(const RecipeStage& s, std::uint64_t i,
                                                 std::uint64_t key) {
  return draw(s, i >> 2, key).w[i & 3];
}

}  // namespace warpwright::verify
