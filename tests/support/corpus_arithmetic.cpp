// SPDX-License-Identifier: Apache-2.0
// A case per row of the machine's table of instructions.
#include <algorithm>
#include <cstdio>

#include "simt/ops/alu.h"
#include "support/corpus.h"

namespace warpwright::corpus {
namespace {

using simt::ArgType;
using simt::OpClass;
using simt::OpRow;

bool packed(std::string_view name, std::string_view type) {
  const std::size_t at = name.find(type);
  return at != std::string_view::npos && at > 0 && name[at - 1] == '.';
}

Kind kind_of(const ArgType& t, std::string_view name, bool last_type_only) {
  const std::string_view types = last_type_only ? name.substr(name.rfind('.')) : name;
  switch (t.real) {
    case ArgType::Real::half:
      return Kind::half;
    case ArgType::Real::bfloat:
      return Kind::bfloat;
    case ArgType::Real::single:
      return Kind::single;
    case ArgType::Real::double_:
      return Kind::double_;
    case ArgType::Real::none:
      break;
  }
  if (t.width == 0) return Kind::pred;
  if (t.width == 2) return Kind::int16;
  if (t.width == 8) return Kind::int64;
  if (packed(types, "f16x2")) return Kind::half2;
  if (packed(types, "bf16x2")) return Kind::bfloat2;
  return packed(types, "tf32") ? Kind::tf32 : Kind::int32;
}

/// Operands that are counts or positions of bits.
bool counts_bits(std::string_view name, std::size_t at) {
  if (name.starts_with("shl.") || name.starts_with("shr.") || name.starts_with("bfe."))
    return at >= 1;
  if (name.starts_with("shf.") || name.starts_with("bfi.")) return at >= 2;
  return name.starts_with("bmsk.");
}

std::string group_of(std::string_view name, const OpRow& row) {
  if (name.starts_with("setp.") || name.starts_with("set.") || name.starts_with("testp."))
    return "compare";
  if (name.find(".approx") != std::string_view::npos || name.starts_with("div.full"))
    return "approximate";
  switch (row.op_class) {
    case OpClass::convert:
      return "convert";
    case OpClass::fp32:
      return "single";
    case OpClass::fp64:
      return "double";
    case OpClass::fp16:
      return "half";
    default:
      return "integer";
  }
}

struct PromiseRow {
  std::string_view prefix, type;
  Promise promise;
};
/// From the PTX manual: 2^-23 is one unit in the last place at most.
constexpr PromiseRow kPromises[] = {
    {"div.approx", "f32", {0x1p-22, 0, 0, 0}},
    {"div.full", "f32", {0x1p-22, 0, 0, 0}},
    {"rcp.approx", "f32", {0x1p-23, 0, 0, 0}},
    {"sqrt.approx", "f32", {0x1p-23, 0, 0, 0}},
    {"rsqrt.approx", "f32", {0x1.13p-23, 0, 0, 0}},
    {"ex2.approx", "f32", {0x1p-22, 0, 0, 0}},
    {"lg2.approx", "f32", {0x1p-22, 0x1p-22, 0, 0}},
    {"sin.approx", "f32", {0, 0x1.6ap-21, 0x1p-126, 3.14159}},
    {"cos.approx", "f32", {0, 0x1.6ap-21, 0x1p-126, 3.14159}},
    {"tanh.approx", "f32", {0x1p-11, 0, 0, 0}},
    {"ex2.approx", "f16", {0x1.13p-10, 0, 0, 0}},
    {"tanh.approx", "f16", {0, 0x1.03p-11, 0, 0}},
    {"ex2.approx", "bf16", {0x1p-7, 0, 0, 0}},
    {"tanh.approx", "bf16", {0, 0x1p-8, 0, 0}},
    {"rcp.approx", "f64", {0x1p-20, 0, 0, 0}},
    {"rsqrt.approx", "f64", {0x1p-20, 0, 0, 0}},
};
Promise promise_of(std::string_view name) {
  for (const PromiseRow& row : kPromises) {
    const std::string dotted = "." + std::string(row.type);
    if (name.starts_with(row.prefix) && (name.ends_with(dotted) || name.ends_with(dotted + "x2")))
      return row.promise;
  }
  return {};
}

/// Forms that the machine runs and PTX does not have: saturation that can change nothing or goes
/// with bf16, bytes to and from bf16, moves of halves.
bool beyond_ptx(std::string_view name) {
  if (name == "mov.f16" || name == "mov.f16x2") return true;
  if (!name.starts_with("cvt.")) return false;
  const std::size_t source = name.rfind('.'), target = name.rfind('.', source - 1);
  const std::string_view from = name.substr(source + 1);
  const std::string_view to = name.substr(target + 1, source - target - 1);
  const bool saturates = name.find(".sat.") != std::string_view::npos;
  const auto byte = [](std::string_view t) { return t == "s8" || t == "u8"; };
  if (from == "bf16") return saturates || byte(to);
  if (to == "bf16") return byte(from) || saturates;
  if (!saturates || from[0] == 'f' || to[0] == 'f') return false;
  const int from_bits = std::stoi(std::string(from.substr(1)));
  const int to_bits = std::stoi(std::string(to.substr(1)));
  return from[0] == to[0] ? from_bits <= to_bits : from[0] == 'u' && from_bits < to_bits;
}

/// Rows that are not instructions of their own, or are made by hand below.
bool skipped(std::string_view name) {
  return name.starts_with("=") || beyond_ptx(name) || name.starts_with("__nv_") ||
         name.starts_with("isspacep") || name.find(".cc") != std::string_view::npos ||
         name.starts_with("addc") || name.starts_with("subc") || name.starts_with("madc") ||
         name == "lop3.b32";
}

Case row_case(const std::string& name, const OpRow& row) {
  Case c;
  c.name = name;
  c.group = group_of(name, row);
  c.promise = promise_of(name);
  c.output.kind = kind_of(row.result, name, !name.starts_with("cvt"));
  c.body = name + " %o";
  for (std::size_t k = 0; k < row.args; ++k) {
    Kind kind = kind_of(row.arg[k], name, true);
    if (kind == Kind::int32 && counts_bits(name, k)) kind = Kind::lane;
    c.inputs.push_back({kind, 1});
    c.body += ", %a" + std::to_string(k);
  }
  c.body += ";";
  return c;
}

void add_carry(std::vector<Case>& cases, const std::string& type) {
  const bool wide = type.ends_with("64");
  const Kind kind = wide ? Kind::int64 : Kind::int32;
  const auto add = [&](std::string name, const std::string& body) {
    cases.push_back({std::move(name) + "." + type,
                     "integer",
                     {{kind, 1}, {kind, 1}, {kind, 1}},
                     {kind, 1},
                     body,
                     {}});
  };
  const auto typed = [&](const std::string& op, const std::string& operands) {
    return op + "." + type + " " + operands + "; ";
  };
  const std::string t = wide ? "%d0" : "%r0";
  add("add.cc addc", typed("add.cc", t + ", %a0, %a1") + typed("addc", "%o, %a1, %a2"));
  add("addc.cc addc", typed("add.cc", t + ", %a0, %a1") + typed("addc.cc", t + ", %a1, %a2") +
                          typed("addc", "%o, " + t + ", 0"));
  add("sub.cc subc", typed("sub.cc", t + ", %a0, %a1") + typed("subc", "%o, %a1, %a2"));
  add("subc.cc subc", typed("sub.cc", t + ", %a0, %a1") + typed("subc.cc", t + ", %a1, %a2") +
                          typed("subc", "%o, " + t + ", 0"));
  // The machine refuses high products with carries of signed numbers.
  if (type[0] == 's') return;
  add("mad.lo.cc madc.hi",
      typed("mad.lo.cc", t + ", %a0, %a1, %a2") + typed("madc.hi", "%o, %a0, %a1, %a2"));
  add("mad.hi.cc addc",
      typed("mad.hi.cc", t + ", %a0, %a1, %a2") + typed("addc", "%o, " + t + ", 0"));
  add("madc.lo.cc addc", typed("add.cc", t + ", %a0, %a2") +
                             typed("madc.lo.cc", t + ", %a0, %a1, %a2") +
                             typed("addc", "%o, 0, 0"));
}

}  // namespace

void add_arithmetic_cases(std::vector<Case>& cases) {
  for (const auto& [name, row] : simt::op_table().rows())
    if (!skipped(name)) cases.push_back(row_case(name, row));
  for (const char* type : {"u32", "s32", "u64", "s64"}) add_carry(cases, type);
  for (int lut : {0x00, 0x01, 0x1b, 0x27, 0x3c, 0x40, 0x69, 0x78, 0x80, 0x96, 0xb8, 0xca, 0xd8,
                  0xe8, 0xf8, 0xfe}) {
    char text[16];
    std::snprintf(text, sizeof text, "0x%02x", static_cast<unsigned>(lut));
    cases.push_back({std::string("lop3.b32 ") + text,
                     "integer",
                     {{Kind::int32, 1}, {Kind::int32, 1}, {Kind::int32, 1}},
                     {Kind::int32, 1},
                     std::string("lop3.b32 %o, %a0, %a1, %a2, ") + text + ";",
                     {}});
  }
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  add_arithmetic_cases(cases);
  add_warp_cases(cases);
  add_atomic_cases(cases);
  add_matrix_cases(cases);
  std::sort(cases.begin(), cases.end(), [](const Case& a, const Case& b) {
    return a.group != b.group ? a.group < b.group : a.name < b.name;
  });
  return cases;
}

}  // namespace warpwright::corpus
