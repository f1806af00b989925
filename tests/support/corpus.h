// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

// A corpus of one-instruction kernels with their inputs, the same bits on every machine: what the
// SIMT machine and a GPU must agree on. Built from the machine's own table of instructions, so an
// instruction that is added to it is in the corpus.

namespace warpwright::corpus {

/// How the bits of an operand are chosen, and how those of a result are compared.
enum class Kind : std::uint8_t {
  pred,  ///< stored as a 32-bit 0 or 1
  int16,
  int32,
  int64,
  half,
  bfloat,
  half2,
  bfloat2,
  single,
  double_,
  tf32,
  lane,         ///< 32 bits, mostly small: lanes, counts, shift amounts
  few,          ///< 32 bits, few different ones in a warp
  matrix_half,  ///< pairs; the range of exponents depends on the warp
  matrix_bfloat,
  matrix_tf32,
  matrix_single,
  matrix_double,
};
std::uint32_t bytes_of(Kind kind);

struct Operand {
  Kind kind = Kind::int32;
  std::uint32_t count = 1;  ///< elements per thread, one after the other
};

/// What PTX promises of an approximate instruction: within either of the two, where the first
/// operand is in the range. Both 0: the bits are defined.
struct Promise {
  double relative = 0, absolute = 0;
  double low = 0, high = 0;  ///< of the first operand's magnitude; both 0: anywhere
  [[nodiscard]] bool exact() const { return relative == 0 && absolute == 0; }
};

/// One kernel. Inputs are in registers %aJ (or %aJ_K with a count), the result in %o (%o_K); the
/// body may also use what `ptx_of` declares.
struct Case {
  std::string name;   ///< the instruction, with a word on its use where needed
  std::string group;  ///< "integer", "float", "half", "convert", "compare", "approximate", ...
  std::vector<Operand> inputs;
  Operand output;
  std::string body;
  Promise promise;
};

inline constexpr std::uint32_t kThreads = 65536;    ///< of a full run
inline constexpr std::uint32_t kFewThreads = 4096;  ///< of a quick one: the first of them
inline constexpr std::uint32_t kBlock = 256;

/// All cases, sorted by group and name.
std::vector<Case> all_cases();
void add_arithmetic_cases(std::vector<Case>& cases);
void add_warp_cases(std::vector<Case>& cases);
void add_atomic_cases(std::vector<Case>& cases);
void add_matrix_cases(std::vector<Case>& cases);

/// The content of input `at` of a case for the first `threads` threads. A thread's values do not
/// depend on how many there are.
std::vector<std::byte> input_bytes(const Case& c, std::size_t at, std::uint32_t threads);

/// The text of a module with one kernel per case, called k0, k1, ... Each takes four pointers to
/// inputs and one to the result.
std::string ptx_of(const std::vector<const Case*>& cases);

/// The case on the SIMT machine. The error says what it refuses or reports.
Result<std::vector<std::byte>> run_on_simt(const Case& c, std::uint32_t threads);

std::uint64_t hash_of(const std::byte* bytes, std::size_t count);

}  // namespace warpwright::corpus
