// SPDX-License-Identifier: Apache-2.0
// All rows of arithmetic, put together.
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

const OpTable& op_table() {
  static const OpTable kTable = make_table();
  return kTable;
}

}  // namespace warpwright::simt
