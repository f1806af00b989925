// SPDX-License-Identifier: Apache-2.0
#include "port/inline_ptx.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "port/inline_ptx_rules.h"
#include "port/ptx_operations.h"

namespace warpwright::port {

namespace {

using Words = std::vector<std::string>;

/// Halves in inline assembly are bits of a C++ type that the source chose: there is no rule for
/// them.
std::string_view cpp_type(std::string_view ptx) {
  return ptx.starts_with("f16") ? std::string_view() : cpp_type_of(ptx);
}

Words split(std::string_view text, char mark) {
  Words parts;
  std::string part;
  int depth = 0;
  for (const char c : text) {
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c == mark && depth == 0) {
      parts.emplace_back(trimmed(part));
      part.clear();
    } else {
      part += c;
    }
  }
  if (!trimmed(part).empty()) parts.emplace_back(trimmed(part));
  return parts;
}

class PtxWriter {
 public:
  explicit PtxWriter(const AssemblyStatement& statement) : statement_(statement) {}

  std::optional<std::string> run() {
    std::string code = statement_.code;
    strip_braces(code);
    for (const std::string& instruction : split(without_comments(code), ';'))
      if (!instruction.empty() && !write(instruction)) return std::nullopt;
    if (text_.empty()) return std::nullopt;
    return "do { " + text_ + "} while (0)";
  }

 private:
  /// The braces of a scope around all of the code.
  static void strip_braces(std::string& code) {
    std::string_view inner = trimmed(code);
    if (inner.size() < 2 || inner.front() != '{') return;
    if (inner.back() == ';') inner = trimmed(inner.substr(0, inner.size() - 1));
    if (inner.back() != '}') return;
    code = std::string(inner.substr(1, inner.size() - 2));
  }

  static std::string without_comments(std::string_view code) {
    std::string text;
    for (const std::string_view line : lines_of(code)) {
      text += line.substr(0, line.find("//"));
      text += ' ';
    }
    return text;
  }

  bool write(std::string_view instruction) {
    std::string guard;
    if (instruction.front() == '@') {
      const std::size_t end = instruction.find_first_of(" \t");
      if (end == std::string_view::npos) return false;
      const bool inverted = instruction[1] == '!';
      const auto predicate =
          operand(instruction.substr(inverted ? 2 : 1, end - (inverted ? 2 : 1)));
      if (!predicate) return false;
      guard = std::string("if (") + (inverted ? "!" : "") + *predicate + ") ";
      instruction = trimmed(instruction.substr(end));
    }
    for (const PtxWord& row : plain_instructions())
      if (row.name == instruction) return emit(guard + std::string(row.cpp));
    const std::size_t end = std::min(instruction.find_first_of(" \t\n"), instruction.size());
    const std::string_view head = instruction.substr(0, end);
    const Words operands = split(instruction.substr(end), ',');
    if (head == ".reg") return declare(instruction.substr(end));
    Words words = split(head, '.');
    if (words.empty()) return false;
    if (words[0] == "prefetch" || words[0] == "nanosleep") return emit("(void)0");
    if (words[0] == "ld" || words[0] == "st" || words[0] == "ldu")
      return access(words, operands, guard);
    if (words[0] == "red" || words[0] == "atom") return atomic(words, operands, guard);
    if (words[0] == "setp") return compare(words, operands, guard);
    return compute(words, operands, guard);
  }

  bool emit(const std::string& text) {
    text_ += text + "; ";
    return true;
  }

  /// .reg .u32 a, b
  bool declare(std::string_view rest) {
    rest = trimmed(rest);
    const std::size_t end = rest.find_first_of(" \t");
    if (rest.empty() || rest[0] != '.' || end == std::string_view::npos) return false;
    const std::string_view type = cpp_type(rest.substr(1, end - 1));
    if (type.empty()) return false;
    for (const std::string& name : split(rest.substr(end), ',')) {
      if (name.empty() || name.find('<') != std::string::npos) return false;
      const std::string variable = "ww_" + plain_name(name);
      registers_[name] = variable;
      emit(std::string(type) + " " + variable);
    }
    return true;
  }

  static std::string plain_name(std::string_view name) {
    std::string result;
    for (const char c : name) result += is_word_part(c) && c != '$' ? c : '_';
    return result;
  }

  /// An operand in C++: %0, a special register, a declared one, a number.
  [[nodiscard]] std::optional<std::string> operand(std::string_view text) const {
    text = trimmed(text);
    if (const auto found = registers_.find(std::string(text)); found != registers_.end())
      return found->second;
    if (text.empty()) return std::nullopt;
    if (text[0] == '%') {
      const std::string_view name = text.substr(text.starts_with("%%") ? 2 : 1);
      if (const auto found = registers_.find(std::string(name)); found != registers_.end())
        return found->second;
      if (!name.empty() && name[0] >= '0' && name[0] <= '9') {
        const std::size_t index = static_cast<std::size_t>(std::atoi(std::string(name).c_str()));
        if (index >= statement_.operands.size()) return std::nullopt;
        return "(" + statement_.operands[index] + ")";
      }
      for (const PtxWord& row : special_registers())
        if (row.name == name) return std::string(row.cpp);
      return std::nullopt;
    }
    if (text == "WARP_SZ") return "32u";
    if (text.starts_with("0f") || text.starts_with("0F"))
      return "ww_as<float>(0x" + std::string(text.substr(2)) + "u)";
    if ((text[0] >= '0' && text[0] <= '9') || text[0] == '-') return std::string(text);
    return std::nullopt;
  }

  [[nodiscard]] std::optional<std::string> typed(std::string_view text,
                                                 std::string_view type) const {
    const auto value = operand(text);
    if (!value) return std::nullopt;
    return "ww_as<" + std::string(type) + ">(" + *value + ")";
  }

  bool compute(Words words, const Words& operands, const std::string& guard) {
    Words types;
    std::string mnemonic = words[0];
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (!cpp_type(words[i]).empty()) {
        types.push_back(words[i]);
      } else if (!is_hint(words[i])) {
        mnemonic += "." + words[i];
      }
    }
    if (types.empty() || operands.empty()) return false;
    const bool convert = words[0] == "cvt";
    for (const std::string& word : words)
      if (convert &&
          (word == "rz" || word == "rni" || word == "rzi" || word == "rmi" || word == "rpi"))
        return false;
    for (const OperationRow& row : inline_operations()) {
      if (row.mnemonic != mnemonic || operands.size() != row.sources + 1) continue;
      const std::string_view type = cpp_type(convert ? types.back() : types.front());
      const auto value = filled(row.cpp, operands, type);
      const auto target = operand(operands[0]);
      if (!value || !target) return false;
      const std::string result =
          convert ? "ww_as<" + std::string(cpp_type(types.front())) + ">(" + *value + ")" : *value;
      return emit(guard + "ww_set(" + *target + ", " + result + ")");
    }
    return false;
  }

  [[nodiscard]] std::optional<std::string> filled(std::string_view form, const Words& operands,
                                                  std::string_view type) const {
    std::string text;
    for (std::size_t i = 0; i < form.size(); ++i) {
      if (form[i] != '$') {
        text += form[i];
        continue;
      }
      ++i;
      if (form[i] == 'T') {
        text += type;
        continue;
      }
      const std::string& source = operands[static_cast<std::size_t>(form[i] - '0')];
      const auto predicate = operand(source);
      const bool plain = predicate && registers_.count(source) > 0 && form.find('?') != form.npos &&
                         form[i] == '3';
      const auto value = plain ? predicate : typed(source, type);
      if (!value) return std::nullopt;
      text += *value;
    }
    return text;
  }

  bool compare(const Words& words, const Words& operands, const std::string& guard) {
    constexpr PtxWord kRelations[] = {{"eq", "=="}, {"ne", "!="}, {"lt", "<"}, {"le", "<="},
                                      {"gt", ">"},  {"ge", ">="}, {"lo", "<"}, {"ls", "<="},
                                      {"hi", ">"},  {"hs", ">="}};
    if (words.size() < 3 || operands.size() != 3) return false;
    const std::string_view type = cpp_type(words.back());
    const auto target = operand(operands[0]);
    const auto left = typed(operands[1], type);
    const auto right = typed(operands[2], type);
    if (type.empty() || !target || !left || !right) return false;
    for (const PtxWord& row : kRelations)
      if (row.name == words[1])
        return emit(guard + *target + " = " + *left + " " + std::string(row.cpp) + " " + *right);
    return false;
  }

  /// [%0], [%1+16] as an address.
  [[nodiscard]] std::optional<std::string> address(std::string_view text) const {
    text = trimmed(text);
    if (text.size() < 3 || text.front() != '[' || text.back() != ']') return std::nullopt;
    text = trimmed(text.substr(1, text.size() - 2));
    const std::size_t plus = text.find('+');
    const auto base = operand(text.substr(0, plus));
    if (!base) return std::nullopt;
    std::string result = "(unsigned long long)(" + *base + ")";
    if (plus != std::string_view::npos) {
      const auto offset = operand(text.substr(plus + 1));
      if (!offset) return std::nullopt;
      result += " + " + *offset;
    }
    return result;
  }

  bool access(const Words& words, const Words& operands, const std::string& guard) {
    // A shared or constant address is a number of another space here: no rule.
    std::size_t lanes = 1;
    bool is_volatile = false;
    for (const std::string& word : words) {
      if (word == "shared" || word == "const" || word == "param" || word == "local") return false;
      if (word == "v2" || word == "v4") lanes = word == "v2" ? 2 : 4;
      is_volatile = is_volatile || word == "volatile" || word == "relaxed" || word == "acquire" ||
                    word == "release" || word == "cv";
    }
    const std::string_view type = cpp_type(words.back());
    if (type.empty() || operands.size() != 2) return false;
    const bool load = words[0] != "st";
    const auto where = address(operands[load ? 0 + 1 : 0]);
    Words values = {operands[load ? 0 : 1]};
    if (lanes > 1) {
      const std::string_view list = trimmed(values[0]);
      if (list.size() < 2 || list.front() != '{') return false;
      values = split(list.substr(1, list.size() - 2), ',');
    }
    if (!where || values.size() != lanes) return false;
    for (std::size_t i = 0; i < lanes; ++i) {
      const auto value = operand(values[i]);
      if (!value) return false;
      const std::string place = std::string("((") + (is_volatile ? "volatile " : "") +
                                std::string(type) + "*)(" + *where + "))[" + std::to_string(i) +
                                "]";
      emit(guard + (load ? "ww_set(" + *value + ", " + place + ")"
                         : place + " = ww_as<" + std::string(type) + ">(" + *value + ")"));
    }
    return true;
  }

  bool atomic(const Words& words, const Words& operands, const std::string& guard) {
    constexpr PtxWord kFunctions[] = {
        {"add", "atomicAdd"}, {"min", "atomicMin"}, {"max", "atomicMax"},  {"and", "atomicAnd"},
        {"or", "atomicOr"},   {"xor", "atomicXor"}, {"exch", "atomicExch"}};
    const bool returns = words[0] == "atom";
    const std::string_view type = cpp_type(words.back());
    if (type.empty() || operands.size() != (returns ? 3U : 2U)) return false;
    const auto where = address(operands[returns ? 1 : 0]);
    const auto value = typed(operands[returns ? 2 : 1], type);
    if (!where || !value) return false;
    for (const PtxWord& row : kFunctions) {
      if (std::find(words.begin(), words.end(), row.name) == words.end()) continue;
      const std::string call =
          std::string(row.cpp) + "((" + std::string(type) + "*)(" + *where + "), " + *value + ")";
      if (!returns) return emit(guard + call);
      const auto target = operand(operands[0]);
      return target && emit(guard + "ww_set(" + *target + ", " + call + ")");
    }
    return false;
  }

  const AssemblyStatement& statement_;
  std::map<std::string, std::string> registers_;
  std::string text_;
};

}  // namespace

std::optional<std::string> ptx_in_cpp(const AssemblyStatement& statement) {
  return PtxWriter(statement).run();
}

}  // namespace warpwright::port
