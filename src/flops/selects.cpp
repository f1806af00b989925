// SPDX-License-Identifier: Apache-2.0
#include "flops/selects.h"

#include <unordered_map>

#include "flops/cost.h"
#include "flops/signs.h"

namespace warpwright::flop {

namespace {

/// What a function says of one of its registers.
struct Register {
  int definitions = 0, uses = 0;
  std::uint32_t defined = 0, last_use = 0;  ///< lines
  int flops = 0;                            ///< of the single-precision operation that defines it
  int block = 0;                            ///< in which it is defined
  bool constant = false;
};

struct Select {
  std::uint32_t line = 0;
  int block = 0;
  std::vector<std::string_view> registers;  ///< result, operands, predicate; fewer with constants
};

bool is_label(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first != std::string_view::npos && line.find(':') != std::string_view::npos &&
         (line[first] == '$' || line[first] == '_' || line[first] == 'L');
}

/// One function, line by line.
class Reader {
 public:
  void read(std::string_view line, std::uint32_t number) {
    const std::string_view opcode = opcode_in(line);
    if (opcode.empty()) {
      if (is_label(line)) ++block_;
      for (const std::string_view each : registers_in(line)) use(each, number);
      return;
    }
    const auto at = static_cast<std::size_t>(opcode.data() - line.data());
    const std::vector<std::string_view> guard = registers_in(line.substr(0, at));
    for (const std::string_view each : guard) use(each, number);
    const std::vector<std::string_view> names = registers_in(line.substr(at));
    if (opcode.starts_with("bra") || opcode.starts_with("ret")) ++block_;
    if ((opcode == "selp.f32" || opcode == "selp.b32") && guard.empty() && names.size() == 4)
      selects_.push_back({number, block_, names});
    for (std::size_t i = 0; i < names.size(); ++i) {
      const bool result = i == 0 && !opcode.starts_with("st") && !opcode.starts_with("bra") &&
                          !opcode.starts_with("red");
      if (!result) use(names[i], number);
    }
    if (!names.empty() && !opcode.starts_with("st")) define(names, opcode, guard.empty(), number);
  }

  void end(std::vector<SelectedOperation>& all) {
    for (const Select& select : selects_) add(select, all);
    *this = {};
  }

 private:
  void use(std::string_view name, std::uint32_t line) {
    Register& r = registers_[name];
    ++r.uses;
    r.last_use = line;
  }

  void define(const std::vector<std::string_view>& names, std::string_view opcode, bool always,
              std::uint32_t line) {
    Register& r = registers_[names.front()];
    ++r.definitions;
    r.defined = line;
    r.block = block_;
    r.constant = opcode.starts_with("mov") && names.size() == 1;
    const OpCost cost = cost_of(opcode);
    const bool plain = always && cost.implicit.empty() && cost.flops.total() == cost.flops.sp;
    r.flops = plain ? static_cast<int>(cost.flops.sp) : 0;
  }

  [[nodiscard]] const Register& of(std::string_view name) const { return registers_.at(name); }

  /// An operation for this select alone, in its block.
  [[nodiscard]] bool is_alone(std::string_view name, const Select& select) const {
    const Register& r = of(name);
    return r.definitions == 1 && r.uses == 1 && (r.flops == 1 || r.flops == 2) &&
           r.block == select.block && r.defined < select.line;
  }

  /// Nobody needs it behind the select, which can take its place.
  [[nodiscard]] bool is_free(std::string_view name, const Select& select) const {
    const Register& r = of(name);
    return !r.constant && r.last_use == select.line && r.definitions == 1;
  }

  void add(const Select& select, std::vector<SelectedOperation>& all) const {
    const std::string_view yes = select.registers[1], no = select.registers[2];
    if (yes == no) return;
    if (is_alone(no, select) && is_free(yes, select)) {
      all.push_back({of(no).defined, select.line, select.registers[3], true, of(no).flops});
    } else if (is_alone(yes, select) && is_free(no, select)) {
      all.push_back({of(yes).defined, select.line, select.registers[3], false, of(yes).flops});
    }
  }

  std::unordered_map<std::string_view, Register> registers_;
  std::vector<Select> selects_;
  int block_ = 0;
};

}  // namespace

std::vector<SelectedOperation> selected_operations(const std::vector<std::string_view>& ptx_lines) {
  std::vector<SelectedOperation> all;
  Reader reader;
  FunctionEnds ends;
  for (std::size_t i = 0; i < ptx_lines.size(); ++i) {
    reader.read(ptx_lines[i], static_cast<std::uint32_t>(i + 1));
    if (ends.at(ptx_lines[i])) reader.end(all);
  }
  reader.end(all);
  return all;
}

}  // namespace warpwright::flop
