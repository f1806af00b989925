// SPDX-License-Identifier: Apache-2.0
#include "port/assembly_statement.h"

#include "base/text.h"
#include "port/inline_ptx_rules.h"

namespace warpwright::port {

namespace {

std::string unescaped(std::string_view literal) {
  std::string text;
  const std::size_t open = literal.find('"');
  if (open == std::string_view::npos) return text;
  const std::size_t close =
      literal.size() > open + 1 && literal.back() == '"' ? literal.size() - 1 : literal.size();
  for (std::size_t i = open + 1; i < close; ++i) {
    if (literal[i] != '\\' || i + 1 >= close) {
      text += literal[i];
      continue;
    }
    ++i;
    text += literal[i] == 'n' ? '\n' : literal[i] == 't' ? ' ' : literal[i];
  }
  return text;
}

/// The section of operands "c"(expression), ... between tokens; false where it is none.
bool read_operands(const SourceText& source, std::size_t from, std::size_t to,
                   std::vector<std::string>& operands) {
  std::size_t i = from;
  while (i < to) {
    if (source.is(i, "[")) i = source.closing(i) + 1;  // a symbolic name
    if (i >= to || source.token(i).kind != TokenKind::string || !source.is(i + 1, "("))
      return false;
    const std::size_t close = source.closing(i + 1);
    if (close >= to) return false;
    operands.emplace_back(source.between(i + 2, close));
    i = close + 1;
    if (i < to && !source.is(i, ",")) return false;
    ++i;
  }
  return true;
}

/// The tokens ':' at the top level of the statement; '::' counts as two.
std::vector<std::size_t> sections(const SourceText& source, std::size_t open, std::size_t close) {
  std::vector<std::size_t> marks;
  int depth = 0;
  for (std::size_t i = open + 1; i < close; ++i) {
    if (source.is(i, "(") || source.is(i, "[")) ++depth;
    if (source.is(i, ")") || source.is(i, "]")) --depth;
    if (depth == 0 && source.is(i, ":")) marks.push_back(i);
  }
  return marks;
}

}  // namespace

std::optional<AssemblyStatement> assembly_at(const SourceText& source, std::size_t i) {
  AssemblyStatement statement;
  statement.begin = i;
  std::size_t open = i + 1;
  while (source.is(open, "volatile") || source.is(open, "__volatile__")) ++open;
  const std::size_t close = source.closing(open);
  if (!source.is(open, "(") || close == source.size()) return std::nullopt;
  statement.end = close + 1;
  std::size_t at = open + 1;
  while (at < close && source.token(at).kind == TokenKind::string)
    statement.code += unescaped(source.at(at++));
  if (at == open + 1) return std::nullopt;
  const auto marks = sections(source, open, close);
  if (marks.empty() != (at == close) || (!marks.empty() && marks[0] != at)) return std::nullopt;
  if (!marks.empty()) {
    const std::size_t end = marks.size() > 1 ? marks[1] : close;
    if (!read_operands(source, marks[0] + 1, end, statement.operands)) return std::nullopt;
    statement.outputs = statement.operands.size();
  }
  if (marks.size() > 1) {
    const std::size_t end = marks.size() > 2 ? marks[2] : close;
    if (!read_operands(source, marks[1] + 1, end, statement.operands)) return std::nullopt;
  }
  return statement;
}

bool is_ptx(std::string_view code) {
  constexpr std::string_view kTypesSeen[] = {".u32", ".s32",  ".b32", ".u64",  ".s64", ".b64",
                                             ".f32", ".f64",  ".f16", ".bf16", ".b16", ".u16",
                                             ".s16", ".pred", ".u8",  ".b8"};
  for (const std::string_view type : kTypesSeen)
    if (code.find(type) != std::string_view::npos) return true;
  for (const PtxWord& row : plain_instructions())
    if (trimmed(code).starts_with(row.name)) return true;
  for (const std::string_view start :
       {"bar.", "membar", "fence.", "cp.async", "prefetch", "griddep", "nanosleep", "exit",
        "mbarrier", "setmaxnreg", "discard"})
    if (trimmed(code).starts_with(start)) return true;
  return false;
}

}  // namespace warpwright::port
