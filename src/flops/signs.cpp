// SPDX-License-Identifier: Apache-2.0
#include "flops/signs.h"

#include <cctype>
#include <string>
#include <unordered_map>

namespace warpwright::flop {

namespace {

constexpr std::string_view kBlanks = " \t";

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos ? std::string_view{} : text.substr(first);
}

bool is_sign(std::string_view opcode) {
  return opcode == "neg.f32" || opcode == "neg.ftz.f32" || opcode == "neg.f64" ||
         opcode == "abs.f32" || opcode == "abs.ftz.f32" || opcode == "abs.f64";
}

/// Machine instructions that take an operand's sign or size: arithmetic, comparisons, conversions.
bool takes_signs(std::string_view opcode) {
  constexpr std::string_view kTakers[] = {"add.", "sub.",  "mul.",  "fma.", "setp.",  "set.",
                                          "min.", "max.",  "div.",  "rcp.", "sqrt.",  "rsqrt.",
                                          "ex2.", "lg2.",  "sin.",  "cos.", "cvt.",   "neg.",
                                          "abs.", "tanh.", "selp.", "mad.", "testp.", "slct."};
  for (const std::string_view taker : kTakers) {
    if (opcode.starts_with(taker)) return true;
  }
  return false;
}

/// One function's results of `neg` and `abs` that are looked for.
class Signs {
 public:
  explicit Signs(std::unordered_set<std::uint32_t>& costly) : costly_(costly) {}

  void read(std::string_view line, std::uint32_t number) {
    const std::string_view opcode = opcode_in(line);
    if (opcode.empty()) {
      // Arguments of a call are on lines of their own.
      for (const std::string_view each : registers_in(line)) used_elsewhere_.insert(each);
      return;
    }
    std::vector<std::string_view> registers =
        registers_in(line.substr(static_cast<std::size_t>(opcode.data() - line.data())));
    if (is_sign(opcode) && !registers.empty()) {
      defined_.emplace(registers.front(), number);
      registers.erase(registers.begin());
    }
    if (takes_signs(opcode)) return;
    for (const std::string_view each : registers) used_elsewhere_.insert(each);
  }

  void end() {
    for (const auto& [name, number] : defined_) {
      if (used_elsewhere_.contains(name)) costly_.insert(number);
    }
    defined_.clear();
    used_elsewhere_.clear();
  }

 private:
  std::unordered_set<std::uint32_t>& costly_;
  std::unordered_multimap<std::string_view, std::uint32_t> defined_;
  std::unordered_set<std::string_view> used_elsewhere_;
};

}  // namespace

bool FunctionEnds::at(std::string_view ptx_line) {
  bool ends = false;
  for (const char c : ptx_line.substr(0, ptx_line.find("//"))) {
    if (c == '{') ++depth_;
    if (c != '}' || depth_ == 0) continue;
    ends = --depth_ == 0;
  }
  return ends;
}

std::vector<std::string_view> registers_in(std::string_view text) {
  std::vector<std::string_view> registers;
  for (std::size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at)) {
    std::size_t end = at + 1;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 ||
                                 text[end] == '_' || text[end] == '.'))
      ++end;
    registers.push_back(text.substr(at, end - at));
    at = end;
  }
  return registers;
}

std::string_view opcode_in(std::string_view ptx_line) {
  std::string_view line = without_blanks(ptx_line);
  while (line.starts_with("{")) line = without_blanks(line.substr(1));
  if (line.starts_with("@")) {
    const std::size_t end = line.find_first_of(kBlanks);
    if (end == std::string_view::npos) return {};
    line = without_blanks(line.substr(end));
  }
  if (line.empty() || std::islower(static_cast<unsigned char>(line[0])) == 0) return {};
  return line.substr(0, line.find_first_of(" \t;"));
}

std::unordered_set<std::uint32_t> signs_that_cost(const std::vector<std::string_view>& ptx_lines) {
  std::unordered_set<std::uint32_t> costly;
  Signs signs(costly);
  FunctionEnds ends;
  for (std::size_t i = 0; i < ptx_lines.size(); ++i) {
    signs.read(ptx_lines[i], static_cast<std::uint32_t>(i + 1));
    if (ends.at(ptx_lines[i])) signs.end();
  }
  signs.end();
  return costly;
}

}  // namespace warpwright::flop
