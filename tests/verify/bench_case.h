// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "verify/cases.h"
#include "verify/check.h"

namespace warpwright::verify {

/// One case with everything that a check needs, made on the host.
struct CaseData {
  Instance instance;
  std::vector<Bytes> inputs;
  std::vector<Expected> expected;
  std::vector<Bytes> honest;  ///< the expected values, rounded to the outputs' types
  const Reference* reference = nullptr;
};

/// Outputs that a wrong kernel would leave, or nothing where the mistake makes no sense.
using Mutate = std::function<std::optional<std::vector<Bytes>>(const CaseData&)>;
struct Mutation {
  std::string name;
  Mutate mutate;
};

std::filesystem::path reference_cache();
Reference load_reference(const Task& task);

CaseData make_case(const Task& task, const Reference& reference, const Case& item,
                   std::uint64_t seed);

/// Expected values as the buffers of a perfect kernel.
std::vector<Bytes> rounded_outputs(const Task& task, std::span<const Expected> expected);

/// What the reference makes of changed inputs or values, rounded.
std::vector<Bytes> outputs_with(const CaseData& data, std::vector<Bytes> inputs,
                                const Values& changes = {});

/// Element k of a buffer, rounded to its type.
void set_element(ElementType type, Bytes& bytes, std::size_t k, double value);

/// Typed views.
float* floats(Bytes& bytes);
const float* floats(const Bytes& bytes);
int* ints(Bytes& bytes);
const int* ints(const Bytes& bytes);

/// Index of the argument of that name; aborts if there is none.
std::size_t index_of(const Task& task, std::string_view name);

/// Mistakes that any kernel can make, and those that belong to one task.
std::vector<Mutation> general_mutations(const Task& task);
std::vector<Mutation> special_mutations(const Task& task);

/// The task with float for double in its reference: an honest kernel that adds one by one.
Task in_single_precision(Task task);

}  // namespace warpwright::verify
