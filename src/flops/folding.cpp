// SPDX-License-Identifier: Apache-2.0
#include "flops/folding.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>

#include "flops/signs.h"

namespace warpwright::flop {

namespace {

/// One instruction of a function.
struct Written {
  std::uint32_t line = 0;
  std::vector<std::string_view> results, operands;
  bool computes = false;  ///< from its operands alone
  bool jumps = false;     ///< if its operand says so
};

bool computes_alone(std::string_view opcode) {
  constexpr std::string_view kBases[] = {
      "mov.", "add.", "sub.",  "mul.",  "fma.",   "mad.", "neg.", "abs.", "min.",  "max.",
      "div.", "rcp.", "sqrt.", "setp.", "selp.",  "and.", "or.",  "xor.", "not.",  "shl.",
      "shr.", "cvt.", "slct.", "ex2.",  "rsqrt.", "lg2.", "set.", "rem.", "cvta.", "copysign."};
  return std::any_of(std::begin(kBases), std::end(kBases),
                     [&](std::string_view base) { return opcode.starts_with(base); });
}

/// What stands before the first comma outside of braces is written, the rest is read.
std::size_t end_of_results(std::string_view operands) {
  int depth = 0;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i] == '{' || operands[i] == '[') ++depth;
    if (operands[i] == '}' || operands[i] == ']') --depth;
    if (operands[i] == ',' && depth == 0) return i;
  }
  return operands.size();
}

/// Whether names stand there that are no registers of the compiler's: inline assembly has its own,
/// and symbols have addresses. What they hold is not known here.
bool names_others(std::string_view operands) {
  bool inside = false;  // a number or a name
  for (const char c : operands) {
    const bool letter = std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
    if (letter && !inside) return true;
    inside = letter || std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '%' || c == '.';
  }
  return false;
}

Written read_instruction(std::string_view line, std::string_view opcode, std::uint32_t number) {
  Written written;
  written.line = number;
  const auto at = static_cast<std::size_t>(opcode.data() - line.data());
  const std::string_view operands = line.substr(at + opcode.size());
  const std::size_t end = end_of_results(operands);
  written.computes =
      computes_alone(opcode) && !names_others(operands.substr(std::min(end, operands.size())));
  written.jumps = opcode.starts_with("bra");
  const bool stores = opcode.starts_with("st") || opcode.starts_with("red") || written.jumps;
  if (!stores) written.results = registers_in(operands.substr(0, end));
  written.operands = registers_in(stores ? operands : operands.substr(end));
  // The guard stands before the opcode.
  for (const std::string_view guard : registers_in(line.substr(0, at)))
    written.operands.push_back(guard);
  return written;
}

/// One function's constants.
class Constants {
 public:
  void add(Written written) {
    for (const std::string_view each : written.results)
      definitions_[each].push_back(instructions_.size());
    instructions_.push_back(std::move(written));
  }

  /// From nothing upwards, so that what a loop changes is never a constant.
  void find(std::unordered_set<std::uint32_t>& folded) {
    for (bool more = true; more;) {
      more = false;
      for (const auto& [name, places] : definitions_) {
        if (constant_.contains(name) || !all_fold(places)) continue;
        constant_.insert(name);
        more = true;
      }
    }
    for (const Written& each : instructions_) {
      const bool known = std::all_of(each.results.begin(), each.results.end(),
                                     [&](std::string_view r) { return constant_.contains(r); });
      if (each.computes && !each.results.empty() && known) folded.insert(each.line);
    }
    *this = {};
  }

 private:
  [[nodiscard]] bool operands_known(const Written& written) const {
    return std::all_of(written.operands.begin(), written.operands.end(),
                       [&](std::string_view r) { return constant_.contains(r); });
  }

  /// Several definitions are one constant if no branch between them depends on anything else.
  [[nodiscard]] bool all_fold(const std::vector<std::size_t>& places) const {
    for (const std::size_t place : places) {
      if (!instructions_[place].computes || !operands_known(instructions_[place])) return false;
    }
    if (places.size() == 1) return true;
    std::size_t first = places.front();
    while (first > 0 && !(instructions_[first].jumps && !instructions_[first].operands.empty()))
      --first;
    for (std::size_t i = first; i < places.back(); ++i) {
      if (instructions_[i].jumps && !operands_known(instructions_[i])) return false;
    }
    return true;
  }

  std::vector<Written> instructions_;
  std::unordered_map<std::string_view, std::vector<std::size_t>> definitions_;
  std::unordered_set<std::string_view> constant_;
};

}  // namespace

std::unordered_set<std::uint32_t> folded_lines(const std::vector<std::string_view>& ptx_lines) {
  std::unordered_set<std::uint32_t> folded;
  Constants constants;
  FunctionEnds ends;
  for (std::size_t i = 0; i < ptx_lines.size(); ++i) {
    const std::string_view opcode = opcode_in(ptx_lines[i]);
    if (!opcode.empty())
      constants.add(read_instruction(ptx_lines[i], opcode, static_cast<std::uint32_t>(i + 1)));
    if (ends.at(ptx_lines[i])) constants.find(folded);
  }
  constants.find(folded);
  return folded;
}

}  // namespace warpwright::flop
