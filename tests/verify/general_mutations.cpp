// SPDX-License-Identifier: Apache-2.0
// Mistakes and cheats that do not depend on the task: work not done, done in part, done on rounded
// data, or done for other data.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "verify/bench_case.h"

namespace warpwright::verify {

namespace {

using Outputs = std::optional<std::vector<Bytes>>;

bool is_output(const TaskArgument& argument) {
  return argument.role == ArgumentRole::output || argument.role == ArgumentRole::inout;
}
bool is_input(const TaskArgument& argument) {
  return argument.role == ArgumentRole::input || argument.role == ArgumentRole::inout;
}

/// Changes each output buffer in place.
Mutation on_outputs(std::string name,
                    std::function<void(const CaseData&, const TaskArgument&, Bytes&)> change) {
  return {std::move(name), [change](const CaseData& data) -> Outputs {
            auto outputs = data.honest;
            for (std::size_t i = 0; i < outputs.size(); ++i) {
              const auto& argument = data.instance.task->arguments[i];
              if (is_output(argument)) change(data, argument, outputs[i]);
            }
            return outputs;
          }};
}

/// Runs the reference on changed float inputs.
Mutation on_inputs(std::string name, std::function<void(const TaskArgument&, Bytes&)> change,
                   double factor = 1) {
  return {
      std::move(name), [change, factor](const CaseData& data) -> Outputs {
        auto inputs = data.inputs;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
          const auto& argument = data.instance.task->arguments[i];
          if (is_input(argument)) change(argument, inputs[i]);
        }
        auto outputs = outputs_with(data, std::move(inputs));
        if (factor == 1) return outputs;
        for (std::size_t i = 0; i < outputs.size(); ++i) {
          if (!is_output(data.instance.task->arguments[i])) continue;
          if (outputs[i].size() != 4 || data.instance.task->arguments[i].type != ElementType::f32)
            return std::nullopt;
          *floats(outputs[i]) *= static_cast<float>(factor);
        }
        return outputs;
      }};
}

std::size_t count_of(const TaskArgument& argument, const Bytes& bytes) {
  return bytes.size() / bytes_of(argument.type);
}

std::ptrdiff_t at(const TaskArgument& argument, std::size_t element) {
  return static_cast<std::ptrdiff_t>(bytes_of(argument.type) * element);
}

void fill_value(const TaskArgument& argument, Bytes& bytes, double value) {
  for (std::size_t k = 0; k < count_of(argument, bytes); ++k)
    set_element(argument.type, bytes, k, value);
}

/// Every element of a floating-point buffer by a function of its value.
void map_reals(const TaskArgument& argument, Bytes& bytes, double (*change)(double, bool half)) {
  if (!is_floating(argument.type)) return;
  for (std::size_t k = 0; k < count_of(argument, bytes); ++k) {
    const double value = element_as_double(argument.type, bytes, k);
    set_element(argument.type, bytes, k, change(value, bytes_of(argument.type) == 2));
  }
}

double mean_of(const TaskArgument& argument, const Bytes& bytes) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t k = 0; k < count_of(argument, bytes); ++k) {
    const double value = element_as_double(argument.type, bytes, k);
    if (!std::isfinite(value)) continue;
    sum += value;
    ++count;
  }
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

void poison_from(const CaseData& data, const TaskArgument& argument, Bytes& bytes,
                 std::size_t first_element) {
  Bytes noise(bytes.size());
  poison(data.instance.seed + 99, 0, noise);
  const auto first = at(argument, first_element);
  std::copy(noise.begin() + first, noise.end(), bytes.begin() + first);
}

float with_bits_kept(float value, int mantissa_bits, bool round) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  const int dropped = 23 - mantissa_bits;
  if (round && std::isfinite(value)) bits += (1u << (dropped - 1)) - 1 + ((bits >> dropped) & 1u);
  bits &= ~((1u << dropped) - 1);
  std::memcpy(&value, &bits, sizeof bits);
  return value;
}

using Rounding = float (*)(float);
float to_tf32(float v) { return with_bits_kept(v, 10, true); }
float to_truncated_tf32(float v) { return with_bits_kept(v, 10, false); }
float to_fp16(float v) { return from_half_bits(to_half_bits(v)); }
float to_bf16(float v) { return from_bfloat_bits(to_bfloat_bits(v)); }

void round_all(const TaskArgument& argument, Bytes& bytes, Rounding rounding) {
  if (argument.type != ElementType::f32) return;
  for (std::size_t k = 0; k < bytes.size() / 4; ++k) floats(bytes)[k] = rounding(floats(bytes)[k]);
}

void add_value_mutations(std::vector<Mutation>& list) {
  list.push_back(on_outputs(
      "zeros", [](const CaseData&, const TaskArgument& a, Bytes& b) { fill_value(a, b, 0); }));
  list.push_back(on_outputs(
      "ones", [](const CaseData&, const TaskArgument& a, Bytes& b) { fill_value(a, b, 1); }));
  list.push_back(on_outputs("constant mean", [](const CaseData&, const TaskArgument& a, Bytes& b) {
    fill_value(a, b, mean_of(a, b));
  }));
  list.push_back(on_outputs("NaN", [](const CaseData&, const TaskArgument& a, Bytes& b) {
    map_reals(a, b, [](double, bool) { return std::numeric_limits<double>::quiet_NaN(); });
  }));
  list.push_back(on_outputs("negated", [](const CaseData&, const TaskArgument& a, Bytes& b) {
    map_reals(a, b, [](double v, bool) { return -v; });
  }));
  // Halves hold only three digits.
  list.push_back(
      on_outputs("off by a thousandth", [](const CaseData&, const TaskArgument& a, Bytes& b) {
        map_reals(a, b, [](double v, bool half) { return v * (half ? 1.01 : 1.001); });
      }));
  list.push_back(on_outputs("not written", [](const CaseData& d, const TaskArgument& a, Bytes& b) {
    poison_from(d, a, b, 0);
  }));
}

void add_lost_outputs(std::vector<Mutation>& list) {
  list.push_back(
      on_outputs("second half not written", [](const CaseData& d, const TaskArgument& a, Bytes& b) {
        poison_from(d, a, b, count_of(a, b) / 2);
      }));
  list.push_back(on_outputs("last element not written",
                            [](const CaseData& d, const TaskArgument& a, Bytes& b) {
                              poison_from(d, a, b, count_of(a, b) - 1);
                            }));
  list.push_back(
      on_outputs("last tile not written", [](const CaseData& d, const TaskArgument& a, Bytes& b) {
        const std::size_t n = count_of(a, b);
        poison_from(d, a, b, n % 32 == 0 ? n - std::min<std::size_t>(n, 32) : n - n % 32);
      }));
  list.push_back(
      on_outputs("second half zero", [](const CaseData&, const TaskArgument& a, Bytes& b) {
        std::fill(b.begin() + at(a, count_of(a, b) / 2), b.end(), std::byte{0});
      }));
  list.push_back(on_outputs("shifted by one", [](const CaseData&, const TaskArgument& a, Bytes& b) {
    std::rotate(b.begin(), b.begin() + at(a, 1), b.end());
  }));
  list.push_back(on_outputs("shifted by one, the other way",
                            [](const CaseData&, const TaskArgument& a, Bytes& b) {
                              std::rotate(b.begin(), b.end() - at(a, 1), b.end());
                            }));
  list.push_back(
      on_outputs("one element wrong", [](const CaseData& d, const TaskArgument& a, Bytes& b) {
        const std::size_t k = below(philox(1, 2, 3, 4, d.instance.seed).w[0], count_of(a, b));
        const double value = element_as_double(a.type, b, k);
        const double wrong = a.type == ElementType::f32 ? value * 1.01 + 1e-3
                             : is_floating(a.type)      ? value * 1.05 + 0.05
                                                        : value + 1;
        set_element(a.type, b, k, wrong);
      }));
}

void add_lost_inputs(std::vector<Mutation>& list) {
  const auto half_zero = [](const TaskArgument& a, Bytes& b) {
    std::fill(b.begin() + at(a, (count_of(a, b) + 1) / 2), b.end(), std::byte{0});
  };
  list.push_back(on_inputs("half of the inputs ignored", half_zero));
  list.push_back(on_inputs("half of the inputs ignored and made up for", half_zero, 2));
  list.push_back(on_inputs("last input element ignored", [](const TaskArgument& a, Bytes& b) {
    std::fill(b.end() - at(a, 1), b.end(), std::byte{0});
  }));
  list.push_back(on_inputs("first input element ignored", [](const TaskArgument& a, Bytes& b) {
    std::fill(b.begin(), b.begin() + at(a, 1), std::byte{0});
  }));
  list.push_back(on_inputs("inputs read one element late", [](const TaskArgument& a, Bytes& b) {
    std::rotate(b.begin(), b.begin() + at(a, 1), b.end());
  }));
}

void add_precision_mutations(std::vector<Mutation>& list) {
  const std::pair<const char*, Rounding> kinds[] = {{"TF32", to_tf32},
                                                    {"truncated TF32", to_truncated_tf32},
                                                    {"FP16", to_fp16},
                                                    {"BF16", to_bf16}};
  for (const auto& [name, rounding] : kinds) {
    list.push_back(on_inputs(
        std::string("inputs in ") + name,
        [rounding = rounding](const TaskArgument& a, Bytes& b) { round_all(a, b, rounding); }));
    list.push_back(on_outputs(std::string("outputs in ") + name,
                              [rounding = rounding](const CaseData&, const TaskArgument& a,
                                                    Bytes& b) { round_all(a, b, rounding); }));
  }
}

Mutation copy_of(std::size_t input) {
  return {"copy of an input", [input](const CaseData& data) -> Outputs {
            auto outputs = data.honest;
            const auto& from = data.inputs[input];
            for (std::size_t i = 0; i < outputs.size(); ++i) {
              if (!is_output(data.instance.task->arguments[i])) continue;
              for (std::size_t k = 0; k < outputs[i].size(); ++k)
                outputs[i][k] = from[k % from.size()];
            }
            return outputs;
          }};
}

Outputs outputs_of_another_seed(const CaseData& data) {
  auto instance = make_instance(*data.instance.task, *data.instance.size, data.instance.variant,
                                data.instance.seed + 1)
                      .value();
  return outputs_with(data, generate_inputs(instance).value());
}

}  // namespace

std::vector<Mutation> general_mutations(const Task& task) {
  std::vector<Mutation> list;
  add_value_mutations(list);
  add_lost_outputs(list);
  add_lost_inputs(list);
  add_precision_mutations(list);
  list.push_back({"result of an earlier call", outputs_of_another_seed});
  for (std::size_t i = 0; i < task.arguments.size(); ++i) {
    if (is_input(task.arguments[i])) list.push_back(copy_of(i));
  }
  return list;
}

}  // namespace warpwright::verify
