// SPDX-License-Identifier: Apache-2.0
#include "flops/special_operands.h"

#include <unordered_map>

#include "base/text.h"
#include "flops/selects.h"
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

constexpr std::string_view kSelected = "mov.b32 %ww_selected_";

/// Counts lanes for which an operation is selected, by what it costs.
void add_mark(std::string& text, const SelectedOperation& selected) {
  const std::string mark = "%ww_selected_" + std::to_string(selected.flops);
  text += "\t{ .reg .b32 " + mark + ";\n\t@" + (selected.negated ? "!" : "") +
          std::string(selected.predicate) + " mov.b32 " + mark + ", 0;\n\t}\n";
}

}  // namespace

std::string with_marks(std::string_view ptx) {
  std::string text;
  text.reserve(ptx.size());
  const std::vector<std::string_view> lines = lines_of(ptx);
  std::unordered_map<std::uint32_t, SelectedOperation> selected;
  for (const SelectedOperation& each : selected_operations(lines))
    selected.emplace(each.select, each);
  std::uint32_t number = 0;
  for (const std::string_view line : lines) {
    if (const auto it = selected.find(++number); it != selected.end()) add_mark(text, it->second);
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

std::unordered_set<std::uint32_t> marked_operations(
    const std::vector<std::string_view>& ptx_lines) {
  std::unordered_set<std::uint32_t> marked;
  for (const SelectedOperation& each : selected_operations(ptx_lines)) {
    // The mark is two lines above, behind it a brace.
    const bool has_mark =
        each.select > 2 && ptx_lines[each.select - 3].find(kSelected) != std::string_view::npos;
    if (has_mark) marked.insert(each.line);
  }
  return marked;
}

OpCost mark_cost(std::string_view ptx_line) {
  if (const std::size_t chosen = ptx_line.find(kSelected); chosen != std::string_view::npos) {
    const std::string_view flops = ptx_line.substr(chosen + kSelected.size());
    return {{flops.starts_with("1") ? 1.0 : flops.starts_with("2") ? 2.0 : 0.0, 0, 0, 0}, {}};
  }
  const std::size_t at = ptx_line.find("@%ww_special mov.b32 ");
  if (at == std::string_view::npos) return {};
  for (const SpecialRow& row : kRows) {
    if (ptx_line.find(row.mark, at) != std::string_view::npos)
      return {{row.sp, row.dp, 0, 0}, row.implicit};
  }
  return {};
}

}  // namespace warpwright::flop
