// SPDX-License-Identifier: Apache-2.0
#pragma once

// Inputs on the device, to the same bits as verify::fill() makes them on the host.

#include "verify/oracle/elements.cuh"
#include "verify/recipe.h"

namespace warpwright::verify {

/// As clamped<T>() of generate.cpp.
__device__ inline double between_ends(double value, double low, double high) {
  if (!(value > low)) return low;
  return value < high ? value : high;
}

__device__ inline u64 rounded_bits(double v, int type) {
  switch (static_cast<ElementType>(type)) {
    case ElementType::f32:
      return same_bits<std::uint32_t>(static_cast<float>(v));
    case ElementType::f64:
      return same_bits<u64>(v);
    case ElementType::f16:
      return to_half_bits(static_cast<float>(v));
    case ElementType::bf16:
      return to_bfloat_bits(static_cast<float>(v));
    case ElementType::i32:
      return static_cast<std::uint32_t>(
          static_cast<std::int32_t>(between_ends(v, -2147483648.0, 2147483647.0)));
    case ElementType::u32:
      return static_cast<std::uint32_t>(between_ends(v, 0, 4294967295.0));
    case ElementType::i64:
      if (!(v > -9223372036854775808.0)) return u64{1} << 63;
      if (!(v < 9223372036854775808.0)) return ~(u64{1} << 63);
      return static_cast<u64>(static_cast<long long>(v));
    case ElementType::u8:
      return static_cast<std::uint8_t>(between_ends(v, 0, 255));
    case ElementType::i8:
      return static_cast<std::uint8_t>(static_cast<std::int8_t>(between_ends(v, -128, 127)));
  }
  return 0;
}

/// Element i of a bits() buffer: 16 bytes share a counter, whatever the type.
__device__ inline u64 raw_bits(const RecipeStage& stage, u64 i, int type, u64 key) {
  const int width = bytes_per_element(type);
  const u64 byte = i * static_cast<u64>(width);
  const RandomWords words = draw(stage, byte >> 4, key);
  const int word = static_cast<int>(byte >> 2) & 3;
  const std::uint32_t low = word == 0   ? words.w[0]
                            : word == 1 ? words.w[1]
                            : word == 2 ? words.w[2]
                                        : words.w[3];
  if (width == 8) return low | u64{word == 0 ? words.w[1] : words.w[3]} << 32;
  const int shift = static_cast<int>(byte & 3) * 8;
  const std::uint32_t mask = width == 4 ? ~0u : (1u << (8 * width)) - 1;
  return (low >> shift) & mask;
}

__device__ inline u64 generated_bits(const Recipe& recipe, u64 i, u64 key) {
  if (recipe.stage[0].op == StageOp::bits)
    return raw_bits(recipe.stage[0], i, recipe.type, key);
  return rounded_bits(element_value(recipe, i, key), recipe.type);
}

/// Recipes are read for every element: a copy in shared memory is nearest.
__device__ inline void fetch_recipe(Recipe& to, u64 from) {
  const int words = static_cast<int>(sizeof(Recipe) / sizeof(u64));
  for (int i = static_cast<int>(threadIdx.x); i < words; i += static_cast<int>(blockDim.x))
    reinterpret_cast<u64*>(&to)[i] = at<u64>(from, static_cast<u64>(i));
  __syncthreads();
}

/// Halves arrive as floats in references and rules.
__device__ inline void put_copy(u64 copy, u64 i, int type, u64 bits) {
  if (static_cast<ElementType>(type) == ElementType::f16)
    return put(copy, i, from_half_bits(static_cast<std::uint16_t>(bits)));
  if (static_cast<ElementType>(type) == ElementType::bf16)
    return put(copy, i, from_bfloat_bits(static_cast<std::uint16_t>(bits)));
  put_bits(copy, i, type, bits);
}

extern "C" __global__ void __launch_bounds__(kThreads) oracle_generate(const GenerateCall call) {
  __shared__ Recipe recipe;
  const GenerateJob job = call.job[blockIdx.y];
  fetch_recipe(recipe, job.recipe);
  for (u64 i = thread_number(); i < job.count; i += threads_of_grid())
    put_bits(job.buffer, i, recipe.type, generated_bits(recipe, i, call.key));
}

extern "C" __global__ void __launch_bounds__(kThreads) oracle_regenerate(const GenerateCall call) {
  __shared__ Recipe recipe;
  const GenerateJob job = call.job[blockIdx.y];
  fetch_recipe(recipe, job.recipe);
  if (call.choice != 0 && blockIdx.x + blockIdx.y + threadIdx.x == 0) {
    put(call.choice, 0, call.secret);
    put(call.choice, 1, call.portion);
  }
  u64 changed = 0;
  for (u64 i = thread_number(); i < job.count; i += threads_of_grid()) {
    const u64 bits = generated_bits(recipe, i, call.key);
    if (job.buffer != 0 && element_bits(job.buffer, i, recipe.type) != bits) ++changed;
    if (job.copy != 0) put_copy(job.copy, i, recipe.type, bits);
  }
  changed = block_sum(static_cast<unsigned long long>(changed));
  if (changed == 0 || threadIdx.x != 0) return;
  CheckRecord* record = reinterpret_cast<CheckRecord*>(call.record);
  add_to(&record->wrong, changed);
  atomicOr(reinterpret_cast<unsigned long long*>(&record->sum[0]), 1ull << blockIdx.y);
  raise_to(&record->failed, 1);
}

}  // namespace warpwright::verify
