// SPDX-License-Identifier: Apache-2.0
#include "verify/block_values.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/assert.h"
#include "base/vector_clones.h"

namespace warpwright::verify {

namespace {

constexpr std::size_t kBlock = 256;
using Words = std::array<std::uint32_t, kBlock>;

struct BlockWords {
  Words w0, w1, w2, w3;
};

/// draw() for indices first, first + 1, ...: always a whole block, also where less is used.
WW_VECTOR_CLONES void draw_block(const RecipeStage& s, std::uint64_t first, std::uint64_t key,
                                 BlockWords& out) {
  for (std::size_t i = 0; i < kBlock; ++i) {
    out.w0[i] = static_cast<std::uint32_t>(first + i);
    out.w1[i] = static_cast<std::uint32_t>((first + i) >> 32);
    out.w2[i] = s.stream;
    out.w3[i] = s.slot;
  }
  std::uint32_t k0 = static_cast<std::uint32_t>(key);
  std::uint32_t k1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    for (std::size_t i = 0; i < kBlock; ++i) {
      const std::uint64_t p0 = std::uint64_t{0xD2511F53u} * out.w0[i];
      const std::uint64_t p1 = std::uint64_t{0xCD9E8D57u} * out.w2[i];
      out.w0[i] = static_cast<std::uint32_t>(p1 >> 32) ^ out.w1[i] ^ k0;
      out.w1[i] = static_cast<std::uint32_t>(p1);
      out.w2[i] = static_cast<std::uint32_t>(p0 >> 32) ^ out.w3[i] ^ k1;
      out.w3[i] = static_cast<std::uint32_t>(p0);
    }
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
}

WW_VECTOR_CLONES void uniform_block(const RecipeStage& s, const BlockWords& words,
                                    std::span<double> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = between(s.p[0], s.p[1], unit_interval(words.w0[i], words.w1[i]));
  }
}

WW_VECTOR_CLONES void integer_block(const RecipeStage& s, const BlockWords& words,
                                    std::span<double> out) {
  const std::uint64_t range = static_cast<std::uint64_t>(s.p[1] - s.p[0]) + 1;
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = s.p[0] + static_cast<double>(below(words.w0[i], range));
  }
}

/// out = fma(scale, bell, base) with one base for all, or with what out holds.
WW_VECTOR_CLONES void bell_block(double scale, const double* base, const BlockWords& words,
                                 std::span<double> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double value = bell({{words.w0[i], words.w1[i], words.w2[i], words.w3[i]}});
    out[i] = std::fma(scale, value, base != nullptr ? *base : out[i]);
  }
}

void source_block(const RecipeStage& s, std::uint64_t first, std::uint64_t key,
                  std::span<double> out) {
  BlockWords words;
  if (s.op == StageOp::uniform) {
    draw_block(s, first, key, words);
    return uniform_block(s, words, out);
  }
  if (s.op == StageOp::normal) {
    draw_block(s, first, key, words);
    return bell_block(s.p[1], &s.p[0], words, out);
  }
  if (s.op == StageOp::ints) {
    draw_block(s, first, key, words);
    return integer_block(s, words, out);
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = source_value(s, first + i, key);
}

void modify_block(const RecipeStage& s, std::uint64_t first, std::uint64_t key,
                  std::span<double> out) {
  if (s.op == StageOp::noise) {
    BlockWords words;
    draw_block(s, first, key, words);
    return bell_block(s.p[0], nullptr, words, out);
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = modified_value(out[i], s, first + i, key);
}

void staged_block(const RecipeStage* stages, int count, std::uint64_t first, std::uint64_t key,
                  std::span<double> out) {
  source_block(stages[0], first, key, out);
  for (int k = 1; k < count; ++k) modify_block(stages[k], first, key, out);
}

/// linear_value() of a block of rows: the weights are the same for all.
void linear_block(const Recipe& recipe, std::uint64_t first, std::uint64_t key,
                  std::span<double> out) {
  const RecipeStage& s = recipe.stage[0];
  const auto width = static_cast<std::size_t>(s.p[0]);
  std::vector<double> weights(width), rows(out.size() * width);
  for (std::size_t j = 0; j < width; ++j) {
    weights[j] =
        s.p[1] * bell(philox(static_cast<std::uint32_t>(j), 0x77u, s.stream, 0xBE7Au, key));
  }
  for (std::size_t at = 0; at < rows.size(); at += kBlock) {
    staged_block(recipe.other, recipe.other_stages, first * width + at, key,
                 std::span(rows).subspan(at, std::min(kBlock, rows.size() - at)));
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < width; ++j) {
      const auto x = static_cast<float>(rows[i * width + j]);
      sum = std::fma(static_cast<double>(x), weights[j], sum);
    }
    out[i] = sum;
  }
  BlockWords words;
  draw_block(s, first, key, words);
  bell_block(s.p[2], nullptr, words, out);
}

}  // namespace

void block_values(const Recipe& recipe, std::uint64_t first, std::uint64_t key,
                  std::span<double> out) {
  for (std::size_t at = 0; at < out.size(); at += kBlock) {
    const auto part = out.subspan(at, std::min(kBlock, out.size() - at));
    if (recipe.stage[0].op != StageOp::linear) {
      staged_block(recipe.stage, recipe.stages, first + at, key, part);
      continue;
    }
    linear_block(recipe, first + at, key, part);
    for (int k = 1; k < recipe.stages; ++k) modify_block(recipe.stage[k], first + at, key, part);
  }
}

}  // namespace warpwright::verify
