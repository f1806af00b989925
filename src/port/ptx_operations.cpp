// SPDX-License-Identifier: Apache-2.0
#include "port/ptx_operations.h"

#include <algorithm>

namespace warpwright::port {

namespace {

struct Pair {
  std::string_view ptx;
  std::string_view cpp;
};

constexpr Pair kTypes[] = {
    {"u8", "unsigned char"},   {"s8", "signed char"},
    {"b8", "unsigned char"},   {"u16", "unsigned short"},
    {"s16", "short"},          {"b16", "unsigned short"},
    {"u32", "unsigned int"},   {"s32", "int"},
    {"b32", "unsigned int"},   {"u64", "unsigned long long"},
    {"s64", "long long"},      {"b64", "unsigned long long"},
    {"f32", "float"},          {"f64", "double"},
    {"pred", "bool"},          {"f16", "unsigned short"},
    {"f16x2", "unsigned int"},
};

/// Where an instruction computes with numbers that wrap around, C++ has to be told.
enum class Kind { wrapping, as_typed, integers, reals, bits };

struct Row {
  std::string_view name;
  Kind kind;
  std::size_t sources;
  std::string_view cpp;
};

constexpr Row kRows[] = {
    {"add", Kind::wrapping, 2, "$1 + $2"},
    {"sub", Kind::wrapping, 2, "$1 - $2"},
    {"mul.lo", Kind::wrapping, 2, "$1 * $2"},
    {"mul", Kind::reals, 2, "$1 * $2"},
    {"mul.hi", Kind::integers, 2, "ww_mul_hi($1, $2)"},
    {"mul.wide", Kind::integers, 2, "($W)$1 * ($W)$2"},
    {"mul24.lo", Kind::integers, 2, "ww_low24($1) * ww_low24($2)"},
    {"mad.lo", Kind::wrapping, 3, "$1 * $2 + $3"},
    {"mad.wide", Kind::integers, 3, "($W)$1 * ($W)$2 + $3"},
    {"mad.hi", Kind::integers, 3, "ww_mul_hi($1, $2) + $3"},
    {"mad", Kind::reals, 3, "ww_fma($1, $2, $3)"},
    {"fma", Kind::reals, 3, "ww_fma($1, $2, $3)"},
    {"div", Kind::as_typed, 2, "$1 / $2"},
    {"div.full", Kind::reals, 2, "ww_approx_div($1, $2)"},
    {"rem", Kind::integers, 2, "$1 % $2"},
    {"min", Kind::reals, 2, "ww_real_min($1, $2)"},
    {"max", Kind::reals, 2, "ww_real_max($1, $2)"},
    {"min", Kind::integers, 2, "ww_min($1, $2)"},
    {"max", Kind::integers, 2, "ww_max($1, $2)"},
    {"and", Kind::bits, 2, "$1 & $2"},
    {"or", Kind::bits, 2, "$1 | $2"},
    {"xor", Kind::bits, 2, "$1 ^ $2"},
    {"not", Kind::bits, 1, "~$1"},
    {"cnot", Kind::bits, 1, "$1 == 0 ? 1 : 0"},
    {"neg", Kind::reals, 1, "-$1"},
    {"neg", Kind::wrapping, 1, "0 - $1"},
    {"abs", Kind::reals, 1, "ww_real_abs($1)"},
    {"abs", Kind::integers, 1, "ww_int_abs($1)"},
    {"shl", Kind::bits, 2, "ww_shl($1, $2)"},
    {"shr", Kind::as_typed, 2, "ww_shr($1, $2)"},
    {"shf.l.wrap", Kind::bits, 3, "ww_shf_l($1, $2, $3)"},
    {"shf.r.wrap", Kind::bits, 3, "ww_shf_r($1, $2, $3)"},
    {"shf.l.clamp", Kind::bits, 3, "ww_shf_l($1, $2, $3 > 31u ? 31u : $3)"},
    {"shf.r.clamp", Kind::bits, 3, "ww_shf_r($1, $2, $3 > 31u ? 31u : $3)"},
    {"popc", Kind::bits, 1, "ww_popc($1)"},
    {"clz", Kind::bits, 1, "ww_clz($1)"},
    {"brev", Kind::bits, 1, "ww_brev($1)"},
    {"bfind", Kind::as_typed, 1, "ww_bfind($1)"},
    {"bfe", Kind::as_typed, 3, "ww_bfe($1, $2, $3)"},
    {"bfi", Kind::bits, 4, "ww_bfi($1, $2, $3, $4)"},
    {"prmt", Kind::bits, 3, "ww_prmt($1, $2, $3)"},
    {"lop3", Kind::bits, 4, "ww_lop3($1, $2, $3, $4)"},
    {"sad", Kind::as_typed, 3, "ww_max($1, $2) - ww_min($1, $2) + $3"},
    {"dp4a", Kind::as_typed, 3, "ww_dp4a($1, $2, $3)"},
    {"rcp", Kind::reals, 1, "$T(1) / $1"},
    {"sqrt", Kind::reals, 1, "ww_sqrt($1)"},
    {"copysign", Kind::reals, 2, "ww_copysign($2, $1)"},
};

constexpr Row kApproximations[] = {
    {"div", Kind::reals, 2, "ww_approx_div($1, $2)"},
    {"rcp", Kind::reals, 1, "ww_approx_rcp($1)"},
    {"sqrt", Kind::reals, 1, "ww_approx_sqrt($1)"},
    {"rsqrt", Kind::reals, 1, "ww_approx_rsqrt($1)"},
    {"sin", Kind::reals, 1, "ww_approx_sin($1)"},
    {"cos", Kind::reals, 1, "ww_approx_cos($1)"},
    {"ex2", Kind::reals, 1, "ww_approx_ex2($1)"},
    {"lg2", Kind::reals, 1, "ww_approx_lg2($1)"},
    {"tanh", Kind::reals, 1, "ww_approx_tanh($1)"},
};

/// Half precision, alone and in pairs: ww_half_add and ww_pair_add.
constexpr Row kHalves[] = {
    {"add", Kind::bits, 2, "add($1, $2)"}, {"sub", Kind::bits, 2, "sub($1, $2)"},
    {"mul", Kind::bits, 2, "mul($1, $2)"}, {"fma", Kind::bits, 3, "fma($1, $2, $3)"},
    {"min", Kind::bits, 2, "min($1, $2)"}, {"max", Kind::bits, 2, "max($1, $2)"},
    {"neg", Kind::bits, 1, "neg($1)"},     {"abs", Kind::bits, 1, "abs($1)"},
    {"ex2", Kind::bits, 1, "ex2($1)"},     {"tanh", Kind::bits, 1, "tanh($1)"},
};

/// Functions of HIP for the roundings that C++ has no operator for; %s is rz, rd or ru.
struct RoundedRow {
  std::string_view name;
  std::string_view single, wide;
};
constexpr RoundedRow kRounded[] = {
    {"add", "__fadd_", "__dadd_"},    {"sub", "__fsub_", "__dsub_"}, {"mul", "__fmul_", "__dmul_"},
    {"fma", "__fmaf_", "__fma_"},     {"div", "__fdiv_", "__ddiv_"}, {"rcp", "__frcp_", "__drcp_"},
    {"sqrt", "__fsqrt_", "__dsqrt_"},
};

bool fits(Kind kind, std::string_view type) {
  if (kind == Kind::reals) return is_real_type(type);
  if (kind == Kind::integers || kind == Kind::bits) return !is_real_type(type);
  return true;
}

constexpr std::string_view kRoundings[] = {"rn",  "rz",  "rm",  "rp", "rni",
                                           "rzi", "rmi", "rpi", "rna"};
// Of caches, scopes and orders that change no value.
constexpr std::string_view kCommonHints[] = {
    "uni",
    "ca",
    "cg",
    "cs",
    "lu",
    "cv",
    "wb",
    "wt",
    "nc",
    "gpu",
    "cta",
    "sys",
    "relaxed",
    "noftz",
    "aligned",
    "L1::no_allocate",
    "L1::evict_last",
    "L2::64B",
    "L2::128B",
    "L2::256B",
};
// Only where whole functions are read: inline assembly has rules for each form of these.
constexpr std::string_view kFurtherHints[] = {
    "weak", "cluster", "L1::evict_first", "L1::evict_normal", "L1::evict_unchanged", "b128"};
constexpr std::string_view kSpaces[] = {"global", "shared", "local", "param", "const"};

bool is_one_of(std::string_view word, const auto& list) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

std::string filled(std::string_view form, const std::vector<std::string>& operands,
                   std::string_view type, std::string_view wide) {
  std::string text;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] != '$') {
      text += form[i];
      continue;
    }
    ++i;
    if (form[i] == 'T') {
      text += type;
    } else if (form[i] == 'W') {
      text += wide;
    } else {
      text += operands[static_cast<std::size_t>(form[i] - '1')];
    }
  }
  return text;
}

std::string wide_type_of(std::string_view type) {
  if (type == "u32") return "u64";
  if (type == "s32") return "s64";
  if (type == "u16") return "u32";
  if (type == "s16") return "s32";
  return std::string(type);
}

/// Instructions whose functions are for numbers of 32 bits alone.
bool is_for_words(std::string_view name) {
  for (const std::string_view each : {"prmt", "lop3", "dp4a", "mul24.lo"})
    if (name == each) return true;
  return name.starts_with("shf.");
}

std::optional<std::string> computed_half(const PtxOpcode& opcode,
                                         const std::vector<std::string>& operands) {
  if (opcode.flushes || opcode.saturates) return std::nullopt;
  if (!opcode.rounding.empty() && opcode.rounding != "rn") return std::nullopt;
  for (const Row& row : kHalves)
    if (row.name == opcode.name && row.sources == operands.size())
      return std::string(opcode.types.front() == "f16" ? "ww_half_" : "ww_pair_") +
             filled(row.cpp, operands, {}, {});
  return std::nullopt;
}

bool is_wide(const PtxOpcode& opcode) {
  return opcode.name == "mul.wide" || opcode.name == "mad.wide";
}

/// The suffix of HIP's functions for a rounding of PTX.
std::string rounding_suffix(std::string_view rounding) {
  if (rounding.starts_with("rz")) return "rz";
  if (rounding.starts_with("rm")) return "rd";
  if (rounding.starts_with("rp")) return "ru";
  return "rn";
}

}  // namespace

std::string_view cpp_type_of(std::string_view ptx_type) {
  for (const Pair& row : kTypes)
    if (row.ptx == ptx_type) return row.cpp;
  return {};
}

bool is_real_type(std::string_view ptx_type) { return ptx_type == "f32" || ptx_type == "f64"; }

std::string unsigned_type_of(std::string_view ptx_type) {
  if (ptx_type.size() < 2 || ptx_type == "pred") return std::string(ptx_type);
  return "u" + std::string(ptx_type.substr(1));
}

bool is_common_hint(std::string_view word) { return is_one_of(word, kCommonHints); }

PtxOpcode opcode_of(const std::vector<std::string_view>& parts) {
  PtxOpcode opcode;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string_view part = parts[i];
    const std::string_view plain = part.substr(0, part.find("::"));
    if (i == 0) {
      opcode.name = std::string(part);
    } else if (!cpp_type_of(part).empty()) {
      opcode.types.emplace_back(part);
    } else if (is_one_of(part, kRoundings)) {
      opcode.rounding = std::string(part);
    } else if (part == "approx") {
      opcode.approximate = true;
    } else if (part == "ftz") {
      opcode.flushes = true;
    } else if (part == "sat") {
      opcode.saturates = true;
    } else if (part == "volatile") {
      opcode.is_volatile = true;
    } else if (part == "acquire" || part == "release" || part == "acq_rel") {
      opcode.order = std::string(part);
    } else if (is_one_of(plain, kSpaces)) {
      opcode.space = std::string(plain);
    } else if (part == "v2" || part == "v4") {
      opcode.lanes = part == "v2" ? 2 : 4;
    } else if (!is_common_hint(part) && !is_one_of(part, kFurtherHints)) {
      opcode.name += "." + std::string(part);
    }
    if (part == "relaxed" || part == "cv") opcode.is_volatile = true;
  }
  return opcode;
}

std::string operand_type(const PtxOpcode& opcode) {
  const std::string& type = opcode.types.front();
  if (type == "f16" || type == "f16x2") return type;
  for (const Row& row : kRows) {
    if (row.name != opcode.name || !fits(row.kind, type)) continue;
    if (row.kind == Kind::wrapping && !is_real_type(type)) return unsigned_type_of(type);
    if (row.kind == Kind::bits && type != "pred") return unsigned_type_of(type);
    break;
  }
  return type;
}

std::string result_type(const PtxOpcode& opcode) {
  if (is_wide(opcode)) return unsigned_type_of(wide_type_of(opcode.types.front()));
  if (opcode.name == "popc" || opcode.name == "clz" || opcode.name == "bfind") return "u32";
  return operand_type(opcode);
}

std::optional<std::string> computed(const PtxOpcode& opcode,
                                    const std::vector<std::string>& operands) {
  if (opcode.types.empty()) return std::nullopt;
  const std::string& type = opcode.types.front();
  const bool real = is_real_type(type);
  if (opcode.types.size() > 1 && opcode.name != "dp4a") return std::nullopt;
  if (type == "f16" || type == "f16x2") return computed_half(opcode, operands);
  if (is_for_words(opcode.name) && !type.ends_with("32")) return std::nullopt;
  if (type == "pred") {
    if (operands.size() != (opcode.name == "not" ? 1u : 2u)) return std::nullopt;
    if (opcode.name == "not") return "!" + operands[0];
    if (opcode.name == "and") return operands[0] + " && " + operands[1];
    if (opcode.name == "or") return operands[0] + " || " + operands[1];
    if (opcode.name == "xor") return operands[0] + " != " + operands[1];
    return std::nullopt;
  }
  const bool other_rounding = real && !opcode.rounding.empty() && opcode.rounding != "rn";
  if (other_rounding) {
    for (const RoundedRow& row : kRounded) {
      if (row.name != opcode.name) continue;
      std::string text = std::string(type == "f32" ? row.single : row.wide) +
                         rounding_suffix(opcode.rounding) + "(";
      for (std::size_t i = 0; i < operands.size(); ++i) text += (i == 0 ? "" : ", ") + operands[i];
      return text + ")";
    }
    return std::nullopt;
  }
  // rsqrt and its like have approximations alone, with the word or without.
  const auto search = [&](const auto& rows) -> std::optional<std::string> {
    for (const Row& row : rows) {
      if (row.name != opcode.name || row.sources != operands.size() || !fits(row.kind, type))
        continue;
      return filled(row.cpp, operands, cpp_type_of(type), cpp_type_of(wide_type_of(type)));
    }
    return std::nullopt;
  };
  std::optional<std::string> text;
  if (opcode.approximate) text = search(kApproximations);
  if (!text) text = search(kRows);
  if (!text) return std::nullopt;
  if (real && opcode.saturates)
    text = "ww_saturated<" + std::string(cpp_type_of(type)) + ">(" + *text + ")";
  if (!real && opcode.saturates) return std::nullopt;
  if (real && opcode.flushes) text = "ww_flushed(" + *text + ")";
  return text;
}

std::string float_of_half(const std::string& value) { return "ww_from_half(" + value + ")"; }

std::optional<std::string> converted_pair(const PtxOpcode& opcode, const std::string& upper,
                                          const std::string& lower) {
  if (opcode.name != "cvt" || opcode.rounding != "rn" || opcode.saturates) return std::nullopt;
  if (opcode.types != std::vector<std::string>{"f16x2", "f32"}) return std::nullopt;
  return "ww_pair(ww_to_half(" + upper + "), ww_to_half(" + lower + "))";
}

std::optional<std::string> compared(std::string_view relation, std::string_view type,
                                    const std::string& a, const std::string& b) {
  constexpr Pair kIntegers[] = {{"eq", " == "}, {"ne", " != "}, {"lt", " < "}, {"le", " <= "},
                                {"gt", " > "},  {"ge", " >= "}, {"lo", " < "}, {"ls", " <= "},
                                {"hi", " > "},  {"hs", " >= "}};
  const std::string less = a + " < " + b, more = a + " > " + b;
  if (is_real_type(type)) {
    if (relation == "ne") return "(" + less + " || " + more + ")";
    if (relation == "equ") return "!(" + less + " || " + more + ")";
    if (relation == "neu") return a + " != " + b;
    if (relation == "ltu") return "!(" + a + " >= " + b + ")";
    if (relation == "leu") return "!(" + more + ")";
    if (relation == "gtu") return "!(" + a + " <= " + b + ")";
    if (relation == "geu") return "!(" + less + ")";
    if (relation == "num") return "(" + a + " == " + a + " && " + b + " == " + b + ")";
    if (relation == "nan") return "(" + a + " != " + a + " || " + b + " != " + b + ")";
  }
  for (const Pair& row : kIntegers)
    if (row.ptx == relation) return a + std::string(row.cpp) + b;
  return std::nullopt;
}

std::optional<std::string> converted(const PtxOpcode& opcode, const std::string& value) {
  if (opcode.types.size() != 2) return std::nullopt;
  const std::string &to = opcode.types[0], &from = opcode.types[1];
  const std::string cpp(cpp_type_of(to));
  const bool real_to = is_real_type(to), real_from = is_real_type(from);
  const bool plain = opcode.rounding.empty() || opcode.rounding == "rn";
  if (to == "f16x2" || from == "f16x2") return std::nullopt;
  if (from == "f16") {
    if (to == "f16") return std::nullopt;
    // A float holds every half, so that the rest is a conversion of floats.
    PtxOpcode single = opcode;
    single.types[1] = "f32";
    return to == "f32" && plain && !opcode.saturates ? float_of_half(value)
                                                     : converted(single, float_of_half(value));
  }
  if (to == "f16") {
    if (!plain || opcode.saturates) return std::nullopt;
    return "ww_to_half(" + value + ")";
  }
  std::string text;
  if (real_to && real_from) {
    if (opcode.rounding == "rni") text = "ww_rint(" + value + ")";
    if (opcode.rounding == "rzi") text = "ww_trunc(" + value + ")";
    if (opcode.rounding == "rmi") text = "ww_floor(" + value + ")";
    if (opcode.rounding == "rpi") text = "ww_ceil(" + value + ")";
    if (plain) text = "(" + cpp + ")" + value;
    if (text.empty() && to == "f32" && from == "f64")
      text = "__double2float_" + rounding_suffix(opcode.rounding) + "(" + value + ")";
    if (text.empty()) return std::nullopt;
    if (opcode.saturates) text = "ww_saturated<" + cpp + ">(" + text + ")";
    return opcode.flushes ? "ww_flushed(" + text + ")" : text;
  }
  if (real_to) {
    if (!plain) return std::nullopt;
    return "(" + cpp + ")" + value;
  }
  if (real_from) {
    const bool narrow = to == "u8" || to == "s8" || to == "u16" || to == "s16";
    const std::string target = narrow        ? "int"
                               : to == "s32" ? "int"
                               : to == "u32" ? "uint"
                               : to == "s64" ? "ll"
                               : to == "u64" ? "ull"
                                             : "";
    if (target.empty() || narrow) return std::nullopt;
    return std::string(from == "f32" ? "__float2" : "__double2") + target + "_" +
           rounding_suffix(opcode.rounding) + "(" + value + ")";
  }
  if (opcode.saturates) return std::nullopt;
  return "(" + cpp + ")" + value;
}

std::optional<std::string> special_register(std::string_view name) {
  constexpr Pair kRegisters[] = {
      {"%tid.x", "threadIdx.x"},
      {"%tid.y", "threadIdx.y"},
      {"%tid.z", "threadIdx.z"},
      {"%ntid.x", "blockDim.x"},
      {"%ntid.y", "blockDim.y"},
      {"%ntid.z", "blockDim.z"},
      {"%ctaid.x", "blockIdx.x"},
      {"%ctaid.y", "blockIdx.y"},
      {"%ctaid.z", "blockIdx.z"},
      {"%nctaid.x", "gridDim.x"},
      {"%nctaid.y", "gridDim.y"},
      {"%nctaid.z", "gridDim.z"},
      {"%laneid", "ww_lane_id()"},
      {"%warpid", "ww_warp_id()"},
      {"%lanemask_lt", "ww_lanemask_lt()"},
      {"%lanemask_le", "ww_lanemask_le()"},
      {"%lanemask_gt", "ww_lanemask_gt()"},
      {"%lanemask_ge", "ww_lanemask_ge()"},
      {"%lanemask_eq", "ww_lanemask_eq()"},
      {"%smid", "ww_sm_id()"},
      {"%clock", "(unsigned)clock64()"},
      {"%clock64", "clock64()"},
      {"%globaltimer", "ww_global_timer()"},
      {"WARP_SZ", "32u"},
  };
  for (const Pair& row : kRegisters)
    if (row.ptx == name) return std::string(row.cpp);
  return std::nullopt;
}

std::optional<KnownFunction> known_function(std::string_view name,
                                            const std::vector<unsigned>& parameter_bytes,
                                            unsigned result_bytes) {
  if (name == "malloc" && parameter_bytes.size() == 1)
    return KnownFunction{"(unsigned long long)malloc", "u64", {"u64"}};
  if (name == "__assertfail" && parameter_bytes.size() == 5)
    return KnownFunction{"ww_assert_fail", {}, {"u64", "u64", "u32", "u64", "u64"}};
  constexpr std::string_view kLibrary = "__nv_";
  if (!name.starts_with(kLibrary)) return std::nullopt;
  std::string plain(name.substr(kLibrary.size()));
  if (plain.starts_with("fast_")) plain = "__" + plain.substr(5);
  // Reals in and out, whose width is their type; those with whole numbers or addresses differ.
  constexpr std::string_view kOthers[] = {
      "ldexp",    "scalbn",    "powi",     "ilogb",   "frexp", "modf",  "sincos",    "remquo",
      "lround",   "llround",   "lrint",    "llrint",  "jn",    "yn",    "isnan",     "isinf",
      "signbit",  "finite",    "sincospi", "popc",    "clz",   "brev",  "byte_perm", "mulhi",
      "umulhi",   "abs",       "float2",   "double2", "int2",  "uint2", "ll2",       "ull2",
      "float_as", "double_as", "int_as",   "ffs"};
  for (const std::string_view other : kOthers)
    if (plain == other || plain == std::string(other) + "f" ||
        (other.ends_with("2") && plain.starts_with(other)))
      return std::nullopt;
  KnownFunction function{plain, {}, {}};
  if (result_bytes != 4 && result_bytes != 8) return std::nullopt;
  function.result = result_bytes == 4 ? "f32" : "f64";
  for (const unsigned bytes : parameter_bytes) {
    if (bytes != result_bytes) return std::nullopt;
    function.parameters.push_back(function.result);
  }
  return function;
}

}  // namespace warpwright::port
