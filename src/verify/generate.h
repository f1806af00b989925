// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "core/task.h"
#include "verify/bytes.h"
#include "verify/recipe.h"

namespace warpwright::verify {

/// What a task is run with: a size, a variant (null: the timed inputs) and the values that follow.
struct Instance {
  const Task* task = nullptr;
  const TaskSize* size = nullptr;
  const InputVariant* variant = nullptr;
  Values values;
  std::uint64_t seed = 0;
};
Result<Instance> make_instance(const Task& task, const TaskSize& size, const InputVariant* variant,
                               std::uint64_t seed);

/// How the buffer of the given argument (an input or inout) is filled.
Result<Recipe> make_recipe(const Instance& instance, std::size_t argument);

/// Elements first, first + 1, ... as the bytes of the buffer. Ranges may be filled in any order and
/// by several threads: each element depends on recipe, seed and its own index alone.
void fill(const Recipe& recipe, std::uint64_t seed, std::uint64_t first, std::span<std::byte> out);

/// The values of all buffers that have any, by argument; outputs and scalars are empty. Large
/// buffers are filled by all cores. At most `most_elements` of each are made; longer ones repeat
/// them.
Result<std::vector<Bytes>> generate_inputs(const Instance& instance,
                                           std::uint64_t most_elements = ~std::uint64_t{0});

/// Random bits, different for every seed: what outputs hold before a call.
void poison(std::uint64_t seed, std::size_t argument, std::span<std::byte> out);

}  // namespace warpwright::verify
