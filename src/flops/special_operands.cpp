// SPDX-License-Identifier: Apache-2.0
#include "flops/special_operands.h"

#include "base/text.h"
#include "flops/signs.h"

namespace warpwright::flop {

namespace {

/// One case, read from the subroutines that ptxas links.
struct SpecialRow {
  std::string_view opcode;
  std::string_view mark;   ///< a register's name
  bool wide;               ///< the operand is double: its high word is looked at
  std::string_view above;  ///< special is a magnitude below this, as an integer
  double sp, dp;           ///< beyond what the instruction costs otherwise
  std::string_view implicit;
};

constexpr SpecialRow kRows[] = {
    // A numerator near zero: the whole division again, scaled.
    {"div.rn.f64", "%ww_small_numerator", true, "56623104", 0, 17, "division"},
    // The root of zero is known before anything is multiplied.
    {"sqrt.rn.f32", "%ww_zero_root", false, "1", -6, 0, "square root"},
};

/// The operand behind the result: "%fd2" of "div.rn.f64 %fd1, %fd2, %fd3;"; empty for a number.
std::string_view first_operand(std::string_view line) {
  const std::size_t comma = line.find(',');
  if (comma == std::string_view::npos) return {};
  const std::size_t begin = line.find_first_not_of(" \t", comma + 1);
  if (begin == std::string_view::npos || line[begin] != '%') return {};
  return line.substr(begin, line.find_first_of(",; \t", begin) - begin);
}

void add_mark(std::string& text, const SpecialRow& row, std::string_view operand) {
  const std::string mark(row.mark), of(operand);
  text += "\t{ .reg .b32 " + mark + ", %ww_low; .reg .pred %ww_special;\n";
  text += row.wide ? "\tmov.b64 {%ww_low, " + mark + "}, " + of + ";\n"
                   : "\tmov.b32 " + mark + ", " + of + ";\n";
  text += "\tand.b32 %ww_low, " + mark + ", 2147483647;\n";
  text += "\tsetp.lt.u32 %ww_special, %ww_low, " + std::string(row.above) + ";\n";
  text += "\t@%ww_special mov.b32 " + mark + ", 0;\n\t}\n";
}

}  // namespace

std::string with_marks(std::string_view ptx) {
  std::string text;
  text.reserve(ptx.size());
  for (const std::string_view line : lines_of(ptx)) {
    const std::string_view opcode = opcode_in(line);
    for (const SpecialRow& row : kRows) {
      // A guarded instruction would need a guarded mark.
      if (opcode != row.opcode || line.find('@') != std::string_view::npos) continue;
      const std::string_view operand = first_operand(line);
      if (!operand.empty()) add_mark(text, row, operand);
    }
    text += line;
    text += '\n';
  }
  return text;
}

OpCost mark_cost(std::string_view ptx_line) {
  const std::size_t at = ptx_line.find("@%ww_special mov.b32 ");
  if (at == std::string_view::npos) return {};
  for (const SpecialRow& row : kRows) {
    if (ptx_line.find(row.mark, at) != std::string_view::npos)
      return {{row.sp, row.dp, 0, 0}, row.implicit};
  }
  return {};
}

}  // namespace warpwright::flop
