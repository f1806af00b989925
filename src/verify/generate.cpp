// SPDX-License-Identifier: Apache-2.0
#include "verify/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <thread>

#include "base/cores.h"
#include "base/one_way.h"
#include "core/distribution.h"
#include "verify/block_values.h"
#include "verify/secret_draws.h"

namespace warpwright::verify {

namespace {

constexpr int kMaxLikeDepth = 3;  // like() of like() of like()
constexpr std::uint32_t kPoisonStream = 0xFFFF0000u;

const std::string& distribution_of(const Instance& instance, const TaskArgument& argument) {
  if (instance.variant != nullptr) {
    const auto found = instance.variant->inputs.find(argument.name);
    if (found != instance.variant->inputs.end()) return found->second;
  }
  return argument.distribution;
}

Result<std::size_t> argument_named(const Task& task, std::string_view name) {
  for (std::size_t i = 0; i < task.arguments.size(); ++i) {
    if (task.arguments[i].name == name) return i;
  }
  return Error{fmt::format("task '{}' has no argument '{}'", task.name, name)};
}

bool is_integer(double value) { return value == std::floor(value) && std::fabs(value) <= 0x1p53; }

// What the stage's code relies on; a bad number must be an error here, not undefined there.
Status check_numbers(const RecipeStage& s) {
  const auto fail = [&](std::string_view what) {
    return Error{fmt::format("distribution {}: {}",
                             distribution_stages()[static_cast<std::size_t>(s.op)].usage, what)};
  };
  switch (s.op) {
    case StageOp::ints:
    case StageOp::plus_ints:
    case StageOp::odd_ints: {
      const bool ok =
          is_integer(s.p[0]) && is_integer(s.p[1]) && s.p[0] <= s.p[1] && s.p[1] - s.p[0] < 0x1p32;
      if (!ok) return fail("low and high must be integers, low not above high, at most 2^32 apart");
      if (s.op == StageOp::odd_ints && std::fmod(s.p[0], 2) == 0) return fail("low must be odd");
      return {};
    }
    case StageOp::skewed:
      return is_integer(s.p[2]) && s.p[2] >= 1 && s.p[2] <= 0x1p20
                 ? Status{}
                 : fail("the power must be an integer from 1 to 2^20");
    case StageOp::onehot:
    case StageOp::linear:
    case StageOp::rows:
    case StageOp::row_drift:
    case StageOp::row_needle:
      return is_integer(s.p[0]) && s.p[0] >= 1 ? Status{}
                                               : fail("the width must be a positive integer");
    case StageOp::every:
      return is_integer(s.p[0]) && s.p[0] >= 1 && is_integer(s.p[1]) && s.p[1] >= 0
                 ? Status{}
                 : fail("step and phase must be integers");
    case StageOp::row_powers:
    case StageOp::column_powers: {
      const bool ok = is_integer(s.p[0]) && s.p[0] >= 1 && is_integer(s.p[2]) &&
                      is_integer(s.p[3]) && s.p[2] <= s.p[3] && std::fabs(s.p[2]) <= 300 &&
                      std::fabs(s.p[3]) <= 300;
      return ok ? Status{} : fail("width, low and high must be integers, low not above high");
    }
    case StageOp::mod:
    case StageOp::div:
      return s.p[0] > 0 && std::isfinite(s.p[0]) ? Status{} : fail("the divisor must be positive");
    default:
      return {};
  }
}

struct StageList {
  std::array<RecipeStage, kMaxRecipeStages> stage;
  int count = 0;
  std::size_t linear_with = std::numeric_limits<std::size_t>::max();
};

Result<std::uint64_t> length_of(const Instance& instance, std::size_t argument) {
  return element_count(instance.task->arguments[argument], instance.values);
}

Status append(const Instance& instance, std::size_t argument, int depth, StageList& list) {
  if (depth > kMaxLikeDepth) return Error{"like() goes in a circle or too deep"};
  WW_TRY(const auto distribution,
         Distribution::parse(distribution_of(instance, instance.task->arguments[argument])));
  WW_TRY(const auto n, length_of(instance, argument));
  for (std::size_t slot = 0; slot < distribution.stages.size(); ++slot) {
    const auto& from = distribution.stages[slot];
    if (from.op == StageOp::like) {
      WW_TRY(const auto other, argument_named(*instance.task, from.argument));
      WW_CHECK(append(instance, other, depth + 1, list));
      continue;
    }
    if (from.op == StageOp::linear) {
      if (depth > 0)
        return Error{"like() and linear() cannot take over an argument made by linear()"};
      WW_TRY(list.linear_with, argument_named(*instance.task, from.argument));
    }
    ASSERT(list.count < kMaxRecipeStages, "too many stages");
    auto& to = list.stage[static_cast<std::size_t>(list.count++)];
    to = RecipeStage{.op = from.op,
                     .stream = static_cast<std::uint32_t>(argument),
                     .slot = static_cast<std::uint32_t>(slot),
                     .numbers = static_cast<std::uint32_t>(from.numbers.size()),
                     .n = n,
                     .p = {}};
    for (std::size_t k = 0; k < from.numbers.size(); ++k) {
      WW_TRY(to.p[k], from.numbers[k].evaluate(instance.values));
    }
    WW_CHECK(check_numbers(to));
  }
  return {};
}

template <class T>
T clamped(double value) {
  constexpr double low = static_cast<double>(std::numeric_limits<T>::min());
  constexpr double high = static_cast<double>(std::numeric_limits<T>::max());
  if (!(value > low)) return std::numeric_limits<T>::min();
  if (!(value < high)) return std::numeric_limits<T>::max();
  return static_cast<T>(value);
}

template <class T, class Convert>
void fill_as(const Recipe& recipe, std::uint64_t seed, std::uint64_t first,
             std::span<std::byte> out, Convert convert) {
  const std::size_t count = out.size() / sizeof(T);
  std::array<double, 1024> values;
  for (std::size_t at = 0; at < count; at += values.size()) {
    const auto part = std::span(values).first(std::min(values.size(), count - at));
    block_values(recipe, first + at, seed, part);
    for (std::size_t i = 0; i < part.size(); ++i) {
      const T value = convert(part[i]);
      std::memcpy(out.data() + (at + i) * sizeof(T), &value, sizeof(T));
    }
  }
}

// Word i of the buffer, whatever the element type: wider types take two words, narrower share one.
void fill_bits(const RecipeStage& stage, std::uint64_t seed, std::uint64_t first_byte,
               std::span<std::byte> out) {
  std::size_t done = 0;
  while (done < out.size()) {
    const std::uint64_t at = first_byte + done;
    const RandomWords words = draw(stage, at >> 4, seed);
    const std::size_t offset = at & 15;
    const std::size_t count = std::min<std::size_t>(16 - offset, out.size() - done);
    std::memcpy(out.data() + done, reinterpret_cast<const char*>(words.w) + offset, count);
    done += count;
  }
}

}  // namespace

Result<Instance> make_instance(const Task& task, const TaskSize& size, const InputVariant* variant,
                               std::uint64_t seed) {
  WW_TRY(auto values, values_at(task, size, variant));
  SecretDraws draws(seed, "numbers of a call");
  for (const std::string_view name : kDrawnNames) values.emplace(name, draws.unit());
  return Instance{&task, &size, variant, std::move(values), seed};
}

Result<Recipe> make_recipe(const Instance& instance, std::size_t argument) {
  const auto& arguments = instance.task->arguments;
  ASSERT(argument < arguments.size() && !arguments[argument].distribution.empty(),
         "only inputs have recipes");
  StageList own;
  WW_CHECK(append(instance, argument, 0, own));
  Recipe recipe{};
  recipe.type = static_cast<int>(arguments[argument].type);
  WW_TRY(recipe.n, length_of(instance, argument));
  recipe.stages = own.count;
  std::copy_n(own.stage.begin(), own.count, recipe.stage);
  if (own.linear_with < arguments.size()) {
    StageList other;
    WW_CHECK(append(instance, own.linear_with, 1, other));
    recipe.other_stages = other.count;
    std::copy_n(other.stage.begin(), other.count, recipe.other);
  }
  const bool raw = own.stage[0].op == StageOp::bits ||
                   (recipe.other_stages > 0 && recipe.other[0].op == StageOp::bits);
  if (raw && own.count > 1)
    return Error{"bits() takes no modifiers, also through like() or linear()"};
  return recipe;
}

void fill(const Recipe& recipe, std::uint64_t seed, std::uint64_t first, std::span<std::byte> out) {
  const auto type = static_cast<ElementType>(recipe.type);
  if (recipe.stage[0].op == StageOp::bits)
    return fill_bits(recipe.stage[0], seed, first * bytes_of(type), out);
  switch (type) {
    case ElementType::f32:
      return fill_as<float>(recipe, seed, first, out,
                            [](double v) { return static_cast<float>(v); });
    case ElementType::f64:
      return fill_as<double>(recipe, seed, first, out, [](double v) { return v; });
    case ElementType::f16:
      return fill_as<std::uint16_t>(recipe, seed, first, out,
                                    [](double v) { return to_half_bits(static_cast<float>(v)); });
    case ElementType::bf16:
      return fill_as<std::uint16_t>(recipe, seed, first, out,
                                    [](double v) { return to_bfloat_bits(static_cast<float>(v)); });
    case ElementType::i32:
      return fill_as<std::int32_t>(recipe, seed, first, out, clamped<std::int32_t>);
    case ElementType::u32:
      return fill_as<std::uint32_t>(recipe, seed, first, out, clamped<std::uint32_t>);
    case ElementType::i64:
      return fill_as<std::int64_t>(recipe, seed, first, out, clamped<std::int64_t>);
    case ElementType::u8:
      return fill_as<std::uint8_t>(recipe, seed, first, out, clamped<std::uint8_t>);
    case ElementType::i8:
      return fill_as<std::int8_t>(recipe, seed, first, out, clamped<std::int8_t>);
  }
}

namespace {

// Large buffers take seconds on one core. Elements do not depend on each other, so the split does
// not show in the result.
void fill_by_threads(const Recipe& recipe, std::uint64_t seed, std::size_t width,
                     std::span<std::byte> out) {
  constexpr std::size_t kLeastPerThread = std::size_t{1} << 20;
  const std::size_t count = out.size() / width;
  const auto most = static_cast<std::size_t>(usable_cores());
  const std::size_t threads = std::clamp<std::size_t>(count / kLeastPerThread, 1, most);
  if (threads == 1) return fill(recipe, seed, 0, out);
  std::vector<std::jthread> workers;
  for (std::size_t t = 0; t < threads; ++t) {
    const std::size_t first = count * t / threads;
    const std::size_t last = count * (t + 1) / threads;
    workers.emplace_back(
        [&recipe, seed, first, part = out.subspan(first * width, (last - first) * width)] {
          fill(recipe, seed, first, part);
        });
  }
}

}  // namespace

Result<std::vector<Bytes>> generate_inputs(const Instance& instance, std::uint64_t most_elements) {
  const auto& arguments = instance.task->arguments;
  // Kernels see the values; what else comes from the seed must not follow from them.
  const std::uint64_t key = one_way(instance.seed, "inputs");
  std::vector<Bytes> buffers(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].distribution.empty()) continue;
    WW_TRY(const auto recipe, make_recipe(instance, i));
    const std::size_t width = bytes_of(arguments[i].type);
    Bytes& bytes = buffers[i];
    bytes.resize(recipe.n * width);
    const std::size_t made = std::min<std::uint64_t>(recipe.n, most_elements) * width;
    fill_by_threads(recipe, key, width, std::span(bytes).first(made));
    for (std::size_t at = made; at < bytes.size(); at += made) {
      std::memcpy(bytes.data() + at, bytes.data(), std::min(made, bytes.size() - at));
    }
  }
  return buffers;
}

void poison(std::uint64_t seed, std::size_t argument, std::span<std::byte> out) {
  const RecipeStage stage{.op = StageOp::bits,
                          .stream = kPoisonStream + static_cast<std::uint32_t>(argument),
                          .slot = 0,
                          .numbers = 0,
                          .n = 0,
                          .p = {}};
  fill_bits(stage, seed, 0, out);
}

}  // namespace warpwright::verify
