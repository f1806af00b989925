// SPDX-License-Identifier: Apache-2.0
// All rows of arithmetic, put together.
#include <algorithm>

#include "simt/ops/alu.h"

namespace warpwright::simt {
namespace {

OpTable make_table() {
  OpTable t;
  add_integer_ops(t);
  add_logic_ops(t);
  add_video_ops(t);
  add_float_ops(t);
  add_rounded_ops(t);
  add_half_ops(t);
  add_compare_ops(t);
  add_convert_ops(t);
  add_fp8_ops(t);
  add_integer_convert_ops(t);
  add_special_ops(t);
  add_math_calls(t);
#define SAME(text, of) t.add_name(text, of);
#include "simt/isa/arithmetic.def"
  return t;
}

}  // namespace

std::string opcode(std::initializer_list<const char*> parts) {
  std::string name;
  for (const char* part : parts) {
    if (*part == '\0') continue;
    if (!name.empty()) name += '.';
    name += part;
  }
  return name;
}

void OpTable::add_row(std::string_view name, Handler run, std::span<const ArgType> types,
                      OpClass op_class, int flops, NativeForm native) {
  OpRow row{run,
            op_class,
            static_cast<std::uint16_t>(flops),
            static_cast<std::uint8_t>(types.size() - 1),
            types[0],
            {},
            native};
  std::copy(types.begin() + 1, types.end(), row.arg);
  rows_.emplace(name, row);
}

void OpTable::set_native(std::string_view name, NativeForm native) {
  rows_.at(std::string(name)).native = native;
}

void OpTable::add_name(std::string_view name, std::string_view of) {
  rows_.emplace(name, rows_.at(std::string(of)));
}

const OpTable& op_table() {
  static const OpTable kTable = make_table();
  return kTable;
}

}  // namespace warpwright::simt
