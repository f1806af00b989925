// SPDX-License-Identifier: Apache-2.0
#include "flops/cost.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace warpwright::flop {

namespace {

std::vector<std::string_view> parts_of(std::string_view opcode) {
  std::vector<std::string_view> parts;
  while (!opcode.empty()) {
    const std::size_t dot = std::min(opcode.find('.'), opcode.size());
    parts.push_back(opcode.substr(0, dot));
    opcode.remove_prefix(std::min(dot + 1, opcode.size()));
  }
  return parts;
}

bool has(const std::vector<std::string_view>& parts, std::string_view word) {
  return std::find(parts.begin() + 1, parts.end(), word) != parts.end();
}

/// Sequences that the assembler writes for one instruction, read from its output (nvdisasm) for
/// sm_75, sm_80, sm_86 and sm_90, which agree. All words of a row must be there; the first row
/// that fits counts.
struct SequenceRow {
  std::string_view base;
  std::array<std::string_view, 3> words;
  double sp, dp;
  std::string_view implicit;
};

constexpr SequenceRow kSequences[] = {
    // MUFU.RCP, then five FFMA.
    {"div", {"rn", "f32"}, 10, 0, "division"},
    {"div", {"full", "f32"}, 1, 0, "division"},
    {"div", {"approx", "f32"}, 1, 0, "division"},
    // FADD, four FFMA: always by the subroutine.
    {"div", {"f32"}, 11, 0, "division"},
    // MUFU.RCP64H, seven DFMA, one DMUL; an FFMA on the high word looks for special operands.
    {"div", {"f64"}, 2, 15, "division"},
    {"rcp", {"approx", "ftz", "f32"}, 0, 0, "reciprocal"},
    {"rcp", {"approx", "f32"}, 2, 0, "reciprocal"},
    {"rcp", {"f32"}, 5, 0, "reciprocal"},
    {"rcp", {"approx", "f64"}, 0, 0, "reciprocal"},
    {"rcp", {"f64"}, 0, 10, "reciprocal"},
    {"sqrt", {"approx", "f32"}, 0, 0, "square root"},
    {"sqrt", {"f32"}, 6, 0, "square root"},
    {"sqrt", {"f64"}, 0, 13, "square root"},
    {"rsqrt", {"f32"}, 0, 0, "square root"},
    {"rsqrt", {"approx", "ftz", "f64"}, 0, 0, "square root"},
    {"rsqrt", {"f64"}, 0, 8, "square root"},
    // The argument is brought to turns.
    {"sin", {"f32"}, 1, 0, "sine"},
    {"cos", {"f32"}, 1, 0, "cosine"},
    {"ex2", {"f32"}, 0, 0, "exponential"},
    {"lg2", {"f32"}, 0, 0, "logarithm"},
    // In shared memory an addition is a loop around a compare-and-swap.
    {"atom", {"shared", "add", "f32"}, 1, 0, "atomic addition"},
    {"red", {"shared", "add", "f32"}, 1, 0, "atomic addition"},
    {"atom", {"shared", "add", "f64"}, 0, 1, "atomic addition"},
    {"red", {"shared", "add", "f64"}, 0, 1, "atomic addition"},
};

bool fits(const SequenceRow& row, const std::vector<std::string_view>& parts) {
  if (row.base != parts[0]) return false;
  for (const std::string_view word : row.words) {
    if (!word.empty() && !has(parts, word)) return false;
  }
  return true;
}

/// Additions and multiplications that are one machine instruction.
double operations_of(std::string_view base) {
  if (base == "add" || base == "sub" || base == "mul") return 1;
  if (base == "fma" || base == "mad") return 2;
  return 0;
}

/// A number behind a letter: "m16" in "m16n8k16".
std::uint64_t number_behind(std::string_view text, char letter) {
  const std::size_t at = text.find(letter);
  std::uint64_t number = 0;
  if (at != std::string_view::npos)
    std::from_chars(text.data() + at + 1, text.data() + text.size(), number);
  return number;
}

/// Products and sums of a warp's matrix instruction, shared among its lanes.
double tensor_of(const std::vector<std::string_view>& parts) {
  for (const std::string_view part : parts) {
    if (part.size() < 6 || part[0] != 'm') continue;
    const std::uint64_t m = number_behind(part, 'm'), n = number_behind(part, 'n'),
                        k = number_behind(part, 'k');
    if (m == 0 || n == 0 || k == 0) continue;
    const double warps = parts[0] == "wgmma" ? 4 : 1;
    return 2.0 * static_cast<double>(m * n * k) / warps / 32;
  }
  return 0;
}

bool multiplies_matrices(const std::vector<std::string_view>& parts) {
  return parts[0] == "mma" || ((parts[0] == "wmma" || parts[0] == "wgmma") &&
                               (has(parts, "mma") || has(parts, "mma_async")));
}

}  // namespace

Flops& Flops::operator+=(const Flops& other) {
  sp += other.sp;
  dp += other.dp;
  half += other.half;
  tensor += other.tensor;
  return *this;
}

Flops operator*(const Flops& flops, double times) {
  return {flops.sp * times, flops.dp * times, flops.half * times, flops.tensor * times};
}

OpCost cost_of(std::string_view opcode) {
  const std::vector<std::string_view> parts = parts_of(opcode);
  if (parts.empty()) return {};
  for (const SequenceRow& row : kSequences) {
    if (fits(row, parts)) return {{row.sp, row.dp, 0, 0}, row.implicit};
  }
  if (multiplies_matrices(parts)) return {{0, 0, 0, tensor_of(parts)}, {}};
  const double count = operations_of(parts[0]);
  if (count == 0) return {};
  const std::string_view type = parts.back();
  if (type == "f32") return {{count, 0, 0, 0}, {}};
  if (type == "f32x2") return {{2 * count, 0, 0, 0}, {}};
  if (type == "f64") return {{0, count, 0, 0}, {}};
  if (type == "f16" || type == "bf16") return {{0, 0, count, 0}, {}};
  if (type == "f16x2" || type == "bf16x2") return {{0, 0, 2 * count, 0}, {}};
  return {};
}

std::uint32_t bytes_of(std::string_view opcode) {
  const std::vector<std::string_view> parts = parts_of(opcode);
  if (parts.empty()) return 0;
  const std::string_view base = parts[0];
  // Behind the type of a surface's access stands what happens at the edges.
  const bool surface = base == "suld" || base == "sust";
  if (base != "ld" && base != "ldu" && base != "st" && base != "atom" && base != "red" && !surface)
    return 0;
  if (has(parts, "param") || has(parts, "shared") || has(parts, "local") || has(parts, "const"))
    return 0;
  std::uint64_t bits = 0;
  const std::string_view type =
      surface && parts.size() > 1 ? parts[parts.size() - 2] : parts.back();
  if (type.empty()) return 0;
  const std::size_t digit = type.find_first_of("0123456789");
  if (digit == std::string_view::npos) return 0;
  std::from_chars(type.data() + digit, type.data() + type.size(), bits);
  if (type.ends_with("x2")) bits *= 2;
  const std::uint64_t elements = has(parts, "v2") ? 2 : has(parts, "v4") ? 4 : 1;
  return static_cast<std::uint32_t>(bits / 8 * elements);
}

}  // namespace warpwright::flop
