// SPDX-License-Identifier: Apache-2.0
#include "exchange/beside_baseline.h"

#include <array>
#include <cctype>
#include <set>
#include <string_view>

#include "base/text.h"

namespace warpwright::exchange {

namespace {

bool asks_for_equality(const CheckRule& rule) {
  static const std::set<std::string_view> equal = {"exact", "bits", "exact_int", "sorted_exact",
                                                   "order_multiset"};
  return equal.count(rule.rule) > 0;
}

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool has_word(std::string_view text, std::string_view word) {
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || !in_word(text[at - 1]);
    const auto end = at + word.size();
    if (begins && (end == text.size() || !in_word(text[end]))) return true;
  }
  return false;
}

}  // namespace

Nearness nearness(const Task& task, const TaskArgument& argument) {
  const CheckRule& rule = argument.check.rule.empty() ? task.check : argument.check;
  if (rule.rule == "rounded") return {0, 1, false};
  if (asks_for_equality(rule) || !is_floating(argument.type))
    return {0, 0, rule.rule == "bits" || !is_floating(argument.type)};
  switch (argument.type) {
    case ElementType::f16:
      return {4e-3, 0, false};
    case ElementType::bf16:
      return {3e-2, 0, false};
    default:
      return {1e-3, 0, false};
  }
}

std::string hoisted_includes(const std::string& source) {
  std::string lines;
  for (const auto line : lines_of(source)) {
    const auto text = trimmed(line);
    if (text.starts_with("#") && trimmed(text.substr(1)).starts_with("include")) {
      lines += std::string(text) + "\n";
    }
  }
  return lines;
}

bool has_assembly(const std::string& source) {
  constexpr std::array<std::string_view, 3> kWords = {"asm", "__asm", "__asm__"};
  for (const auto word : kWords)
    if (has_word(source, word)) return true;
  return false;
}

}  // namespace warpwright::exchange
