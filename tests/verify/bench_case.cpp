// SPDX-License-Identifier: Apache-2.0
#include "verify/bench_case.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/assert.h"
#include "support/places.h"

namespace warpwright::verify {

std::filesystem::path reference_cache() { return build_path("/tests/reference_cache"); }

Reference load_reference(const Task& task) {
  auto reference = Reference::load(task, {.cache = reference_cache()});
  ASSERT(reference.ok(), reference.ok() ? "" : reference.error().message);
  return std::move(reference).value();
}

std::vector<Bytes> rounded_outputs(const Task& task, std::span<const Expected> expected) {
  std::vector<Bytes> outputs(task.arguments.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    outputs[i] = expected[i].native;
    if (expected[i].wide.empty()) continue;
    const ElementType type = task.arguments[i].type;
    outputs[i].resize(expected[i].wide.size() * bytes_of(type));
    for (std::size_t k = 0; k < expected[i].wide.size(); ++k)
      set_element(type, outputs[i], k, expected[i].wide[k]);
  }
  return outputs;
}

CaseData make_case(const Task& task, const Reference& reference, const Case& item,
                   std::uint64_t seed) {
  CaseData data;
  data.instance = make_instance(task, *item.size, item.variant, seed).value();
  data.inputs = generate_inputs(data.instance).value();
  data.expected = reference.run(data.instance, data.inputs).value();
  data.honest = rounded_outputs(task, data.expected);
  data.reference = &reference;
  return data;
}

std::vector<Bytes> outputs_with(const CaseData& data, std::vector<Bytes> inputs,
                                const Values& changes) {
  Instance instance = data.instance;
  for (const auto& [name, value] : changes) instance.values[name] = value;
  const auto expected = data.reference->run(instance, inputs);
  ASSERT(expected.ok(), expected.ok() ? "" : expected.error().message);
  return rounded_outputs(*data.instance.task, *expected);
}

namespace {

template <class T>
void store(Bytes& bytes, std::size_t k, T value) {
  std::memcpy(bytes.data() + k * sizeof(T), &value, sizeof(T));
}

}  // namespace

void set_element(ElementType type, Bytes& bytes, std::size_t k, double value) {
  const float single = static_cast<float>(value);
  switch (type) {
    case ElementType::f32:
      return store(bytes, k, single);
    case ElementType::f16:
      return store(bytes, k, to_half_bits(single));
    case ElementType::bf16:
      return store(bytes, k, to_bfloat_bits(single));
    case ElementType::i32:
      return store(bytes, k, static_cast<std::int32_t>(value));
    case ElementType::i8:  // outputs of the rule `rounded`
      return store(bytes, k, static_cast<std::int8_t>(std::clamp(std::rint(value), -128.0, 127.0)));
    default:
      ASSERT(false, "no task of the suite has outputs or indices of this type");
  }
}

float* floats(Bytes& bytes) { return reinterpret_cast<float*>(bytes.data()); }
const float* floats(const Bytes& bytes) { return reinterpret_cast<const float*>(bytes.data()); }
int* ints(Bytes& bytes) { return reinterpret_cast<int*>(bytes.data()); }
const int* ints(const Bytes& bytes) { return reinterpret_cast<const int*>(bytes.data()); }

std::size_t index_of(const Task& task, std::string_view name) {
  for (std::size_t i = 0; i < task.arguments.size(); ++i) {
    if (task.arguments[i].name == name) return i;
  }
  ASSERT(false, "no such argument");
  return 0;
}

Task in_single_precision(Task task) {
  auto at = task.reference_source.rfind("#include");
  at = at == std::string::npos ? 0 : task.reference_source.find('\n', at) + 1;
  task.reference_source.insert(at, "#define double float\n");
  return task;
}

}  // namespace warpwright::verify
