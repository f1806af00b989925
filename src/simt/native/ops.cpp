// SPDX-License-Identifier: Apache-2.0
// The instructions that compiled code executes by itself, by the interpreter's handler.
#include "simt/native/ops.h"

#include <map>
#include <unordered_map>
#include <unordered_set>

#include "simt/ops/handlers.h"

namespace warpwright::simt {
namespace {

using R = ShapeRule;

class Table {
 public:
  NativeOp* add(const std::string& opcode, std::string name, R rule = R::plain) {
    const OpRow* row = op_table().find(opcode);
    if (row == nullptr) return nullptr;
    NativeOp op;
    op.name = std::move(name);
    op.row = row;
    op.rule = rule;
    return &rows_.insert_or_assign(row->run, std::move(op)).first->second;
  }
  void real(const std::string& opcode, std::string name, bool raw_in, bool raw_out) {
    if (NativeOp* op = add(opcode, std::move(name)); op != nullptr) {
      op->raw_in = raw_in;
      op->raw_out = raw_out;
    }
  }
  [[nodiscard]] const NativeOp* find(Handler run) const {
    const auto it = rows_.find(run);
    return it == rows_.end() ? nullptr : &it->second;
  }

 private:
  std::unordered_map<Handler, NativeOp> rows_;
};

/// `type` as PTX writes it; `u` is the C type of the same width without sign.
void add_integers(Table& t, const std::string& type, const std::string& u) {
  const std::string dot = "." + type, suffix = "_" + u, own = "_" + type;
  t.add("add" + dot, "add" + suffix, R::add);
  t.add("sub" + dot, "sub" + suffix, R::sub);
  t.add("mul.lo" + dot, "mul" + suffix, R::mul);
  t.add("mad.lo" + dot, "mad" + suffix, R::mad);
  t.add("min" + dot, "min" + own);
  t.add("max" + dot, "max" + own);
  t.add("shr" + dot, "shr" + own, R::shr);
  if (type[0] == 's') {
    t.add("neg" + dot, "neg" + suffix);
    t.add("abs" + dot, "abs" + own);
  }
  if (u != "u64") {
    const bool is_signed = type[0] == 's';
    t.add("mul.wide" + dot, "wide" + own, is_signed ? R::wide_signed : R::wide_unsigned);
    t.add("mad.wide" + dot, "widemad" + own, is_signed ? R::wide_mad_signed : R::wide_mad_unsigned);
  }
  if (u == "u32") t.add("mul.hi" + dot, "hi" + own);
  if (u != "u16") {
    t.add("div" + dot, "div" + own);
    t.add("rem" + dot, "rem" + own);
  }
}

void add_comparisons(Table& t, const std::string& type, const std::string& c_type) {
  const std::pair<const char*, const char*> rows[] = {
      {"eq", "eq"}, {"ne", "ne"}, {"lt", "lt"}, {"le", "le"}, {"gt", "gt"},
      {"ge", "ge"}, {"lo", "lt"}, {"ls", "le"}, {"hi", "gt"}, {"hs", "ge"}};
  for (const auto& [ptx, c] : rows) {
    NativeOp* op =
        t.add(std::string("setp.") + ptx + "." + type, std::string(c) + "_" + c_type, R::compare);
    if (op == nullptr) continue;
    op->is_signed = type[0] == 's';
    op->equality = *c == 'e' || *c == 'n';
  }
}

void add_sized(Table& t, const std::string& bits, const std::string& u) {
  for (const char* letter : {"b", "u", "s"}) {
    t.add(std::string("mov.") + letter + bits, "mov_" + u, R::move);
    t.add(std::string("selp.") + letter + bits, "sel_" + u, R::select);
  }
  t.add("and.b" + bits, "and_" + u, R::bit_and);
  t.add("or.b" + bits, "or_" + u, R::bit_or);
  t.add("xor.b" + bits, "xor_" + u);
  t.add("not.b" + bits, "not_" + u);
  t.add("shl.b" + bits, "shl_" + u, R::shl);
  t.add("shr.b" + bits, "shr_" + u, R::shr);
  add_comparisons(t, "b" + bits, u);
}

void add_converts(Table& t) {
  const char* types[] = {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"};
  const auto width = [](const std::string& type) { return std::stoi(type.substr(1)); };
  for (const std::string d : types) {
    for (const std::string s : types) {
      R rule = R::plain;
      if (width(d) >= 32 && width(s) >= 32)
        rule = width(d) == width(s)  ? R::move
               : width(d) < width(s) ? R::narrow
               : s[0] == 's'         ? R::widen_signed
                                     : R::widen_unsigned;
      t.add("cvt." + d + "." + s, "cvt_" + d + "_" + s, rule);
    }
  }
  for (const std::string s : {"u32", "s32", "u64", "s64"}) {
    // Compilers may round 64 bits to binary32 by way of binary64, which rounds twice.
    if (s != "u64" && s != "s64") t.add("cvt.rn.f32." + s, "cvt_f32_" + s);
    t.add("cvt.rn.f64." + s, "cvt_f64_" + s);
  }
  t.real("cvt.rzi.s32.f32", "cvt_s32_f32", true, false);
  t.real("cvt.rzi.u32.f32", "cvt_u32_f32", true, false);
}

void add_reals(Table& t) {
  for (const char* rn : {"", ".rn"})
    for (const std::string op : {"add", "sub", "mul"}) {
      t.real(op + rn + ".f32", op + "_f32", true, true);
      t.add(op + rn + ".f64", op + "_f64");
    }
  t.real("fma.rn.f32", "fma_f32", true, true);
  t.real("div.rn.f32", "div_f32", true, true);
  t.real("sqrt.rn.f32", "sqrt_f32", true, true);
  t.real("rcp.rn.f32", "rcp_f32", true, true);
  t.real("min.f32", "min_f32", true, true);
  t.real("max.f32", "max_f32", true, true);
  t.real("neg.f32", "neg_f32", false, false);
  t.real("abs.f32", "abs_f32", false, false);
  t.add("fma.rn.f64", "fma_f64");
  t.add("div.rn.f64", "div_f64");
  for (const std::string type : {"f32", "f64"})
    for (const std::string c : {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu",
                                "gtu", "geu", "num", "nan"})
      t.real("setp." + c + "." + type, c + "_" + type, true, false);
}

Table make_table() {
  Table t;
  for (const auto& [type, u] : {std::pair{"u16", "u16"},
                                {"s16", "u16"},
                                {"u32", "u32"},
                                {"s32", "u32"},
                                {"u64", "u64"},
                                {"s64", "u64"}}) {
    add_integers(t, type, u);
    add_comparisons(t, type, type);
  }
  add_sized(t, "16", "u16");
  add_sized(t, "32", "u32");
  add_sized(t, "64", "u64");
  t.add("mov.f32", "mov_u32", R::move);
  t.add("mov.f64", "mov_u64", R::move);
  t.add("selp.f32", "sel_u32", R::select);
  t.add("selp.f64", "sel_u64", R::select);
  for (const std::string op : {"and", "or", "xor", "not", "mov"}) t.add(op + ".pred", op + "_pred");
  t.add("shf.l.wrap.b32", "rotl_u32");
  t.add("shf.r.wrap.b32", "rotr_u32");
  t.add("=pack.b64", "pack_u64");
  t.add("=low.b64", "low_u64");
  t.add("=high.b64", "high_u64");
  add_converts(t);
  add_reals(t);
  return t;
}

std::map<Handler, NativeAccess> make_accesses() {
  std::map<Handler, NativeAccess> all;
  for (const Space space : {Space::global, Space::shared, Space::generic})
    for (const std::uint32_t elements : {1u, 2u, 4u})
      for (const std::uint32_t bytes : {1u, 2u, 4u, 8u}) {
        const AccessForm store{space, bytes, elements, bytes < 2 ? 2 : bytes, false};
        if (const Handler run = store_handler(store); run != nullptr)
          all[run] = {false, space, bytes, elements, store.register_bytes, false};
        for (const std::uint32_t width : {2u, 4u, 8u})
          for (const bool is_signed : {false, true})
            if (const Handler run = load_handler({space, bytes, elements, width, is_signed});
                run != nullptr && width >= bytes)
              all[run] = {true, space, bytes, elements, width, is_signed};
      }
  return all;
}

}  // namespace

const NativeOp* find_native_op(Handler run) {
  static const Table table = make_table();
  return table.find(run);
}

bool is_arithmetic(Handler run) {
  static const std::unordered_set<Handler> all = [] {
    std::unordered_set<Handler> handlers;
    for (const auto& [name, row] : op_table().rows()) handlers.insert(row.run);
    return handlers;
  }();
  return all.contains(run);
}

const NativeAccess* find_native_access(Handler run) {
  static const std::map<Handler, NativeAccess> table = make_accesses();
  const auto it = table.find(run);
  return it == table.end() ? nullptr : &it->second;
}

}  // namespace warpwright::simt
