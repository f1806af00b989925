// SPDX-License-Identifier: Apache-2.0
#include "flops/attributes.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "flops/source_functions.h"

namespace warpwright::flop {

namespace {

using Names = std::set<std::string_view>;

bool is_one_of(std::string_view name, const std::vector<std::string_view>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// "sin" of "sinf", "__sinf" and "hsin".
std::string_view plain_mathematics(std::string_view name) {
  while (name.starts_with("_")) name.remove_prefix(1);
  if (name.size() > 3 && name.ends_with("f") && name != "erf") name.remove_suffix(1);
  if (name.size() > 3 && name.starts_with("h") && name != "hypot") name.remove_prefix(1);
  return name;
}

/// Functions that are more than one instruction, or a look-up in a table.
bool is_special(std::string_view name) {
  static const std::vector<std::string_view> kNames = {
      "sin",        "cos",     "tan",     "asin",  "acos",  "atan",      "atan2",  "sinh",
      "cosh",       "tanh",    "asinh",   "acosh", "atanh", "exp",       "exp2",   "exp10",
      "expm1",      "log",     "log2",    "log10", "log1p", "pow",       "sqrt",   "rsqrt",
      "cbrt",       "rcbrt",   "hypot",   "erf",   "erfc",  "erfcx",     "erfinv", "tgamma",
      "lgamma",     "sincos",  "sinpi",   "cospi", "fmod",  "remainder", "powi",   "norm3d",
      "rnorm3d",    "j0",      "j1",      "y0",    "y1",    "jn",        "yn",     "normcdf",
      "normcdfinv", "fdivide", "saturate"};
  return is_one_of(plain_mathematics(name), kNames);
}

/// What a compiler knows by itself: intrinsics, atomics, small functions that are an instruction.
bool is_built_in(std::string_view name) {
  static const std::vector<std::string_view> kNames = {
      "min",        "max",          "abs",
      "fabs",       "fabsf",        "fmin",
      "fmax",       "fminf",        "fmaxf",
      "floor",      "ceil",         "round",
      "floorf",     "ceilf",        "roundf",
      "rint",       "rintf",        "trunc",
      "truncf",     "fma",          "fmaf",
      "mad24",      "umin",         "umax",
      "llabs",      "labs",         "isnan",
      "isinf",      "isfinite",     "signbit",
      "copysign",   "copysignf",    "lrint",
      "lrintf",     "lround",       "lroundf",
      "llrint",     "nearbyint",    "nearbyintf",
      "clock",      "clock64",      "dim3",
      "swap",       "ldexp",        "ldexpf",
      "frexp",      "frexpf",       "modf",
      "modff",      "static_cast",  "reinterpret_cast",
      "const_cast", "dynamic_cast", "clamp",
      "assert",     "usad",         "uint2",
      "uint3",      "uint4",        "int2",
      "int3",       "int4",         "float2",
      "float3",     "float4",       "double2",
      "double3",    "double4",      "uchar4",
      "char4",      "ushort2",      "short2",
      "operator",   "defined"};
  return name.starts_with("__") || name.starts_with("atomic") || name.starts_with("make_") ||
         name.starts_with("h2") || is_one_of(name, kNames);
}

/// All device functions of the sources by name; the last definition of a name counts.
using Functions = std::map<std::string_view, SourceFunction>;

Functions functions_of(const std::vector<SourceFile>& files) {
  Functions functions;
  for (const SourceFile& file : files) {
    for (SourceFunction& each : device_functions(file.text)) functions[each.name] = std::move(each);
  }
  return functions;
}

/// Names of macros with parameters: what looks like their call is none.
Names macros_of(const std::vector<SourceFile>& files) {
  Names names;
  for (const SourceFile& file : files) {
    std::string_view rest = file.text;
    constexpr std::string_view kDefine = "define";
    for (std::size_t at = rest.find(kDefine); at != std::string_view::npos;
         at = rest.find(kDefine)) {
      rest.remove_prefix(at + kDefine.size());
      const std::size_t begin = rest.find_first_not_of(" \t");
      if (begin == std::string_view::npos) break;
      names.insert(rest.substr(begin, rest.find_first_of(" \t(\n\r", begin) - begin));
    }
  }
  return names;
}

/// A kernel's body and those of all functions that it may call.
void add_reached(const Functions& functions, std::string_view name, Names& reached) {
  const auto it = functions.find(name);
  if (it == functions.end() || !reached.insert(name).second) return;
  for (const std::string_view each : called_names(it->second.body))
    add_reached(functions, each, reached);
}

bool calls_itself(const Functions& functions, const Names& reached) {
  return std::any_of(reached.begin(), reached.end(), [&](std::string_view name) {
    Names below;
    for (const std::string_view each : called_names(functions.at(name).body))
      add_reached(functions, each, below);
    return below.contains(name);
  });
}

/// The same computation in parentheses, twice in one body.
bool repeats_itself(const std::vector<std::string_view>& body) {
  std::set<std::string> seen;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i] == "(" || body[i] == "[") open.push_back(i);
    if ((body[i] != ")" && body[i] != "]") || open.empty()) continue;
    const std::size_t begin = open.back();
    open.pop_back();
    if (body[i] == "]" || i - begin < 4) continue;
    std::string text;
    bool computes = false;
    for (std::size_t k = begin + 1; k < i; ++k) {
      text.append(body[k]).append(" ");
      const std::string_view sign = body[k];
      computes = computes || sign == "+" || sign == "-" || sign == "*" || sign == "/";
      if (sign == "=" || sign == "," || sign == "<" || sign == "<=" || sign == "==" ||
          sign == "&&" || sign == "||" || sign == ";" || sign == ">" || sign == "!=")
        computes = false, k = i;
    }
    if (computes && !seen.insert(text).second) return true;
  }
  return false;
}

}  // namespace

const std::vector<AttributeRow>& attribute_rows() {
  static const std::vector<AttributeRow> kRows = {
      {"divergence", &Attributes::divergence},
      {"data_dependent_divergence", &Attributes::data_divergence},
      {"division", &Attributes::division},
      {"external_call", &Attributes::external_call},
      {"device_call", &Attributes::device_call},
      {"special_functions", &Attributes::special_functions},
      {"common_subexpressions", &Attributes::common_subexpressions},
      {"recursion", &Attributes::recursion}};
  return kRows;
}

Attributes attributes_of(std::string_view kernel, const std::vector<SourceFile>& files,
                         const KernelTraits& traits) {
  Attributes found;
  found.division = traits.divides;
  found.divergence = traits.diverges;
  found.data_divergence = traits.diverges_by_data;
  found.external_call = traits.calls_unknown;
  const Functions functions = functions_of(files);
  const Names macros = macros_of(files);
  Names reached;
  add_reached(functions, kernel, reached);
  found.device_call = reached.size() > 1;
  found.recursion = calls_itself(functions, reached);
  for (const std::string_view name : reached) {
    const SourceFunction& function = functions.at(name);
    found.common_subexpressions = found.common_subexpressions || repeats_itself(function.body);
    for (const std::string_view called : called_names(function.body)) {
      if (functions.contains(called) || macros.contains(called)) continue;
      if (is_special(called)) {
        found.special_functions = true;
      } else if (!is_built_in(called) && !is_one_of(called, function.parameters)) {
        // A name that is declared here with an initial value looks like a call.
        found.external_call = found.external_call || called == "printf" || called == "malloc" ||
                              called == "free" || called.find("rand") != std::string_view::npos;
      }
    }
  }
  return found;
}

}  // namespace warpwright::flop
