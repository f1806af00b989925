// SPDX-License-Identifier: Apache-2.0
#include "ptx/parser.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "ptx/operands.h"

namespace warpwright::ptx {
namespace {

constexpr std::size_t kMaxPlaces = 1 << 20;

std::optional<Space> space_of(std::string_view directive) {
  constexpr std::pair<std::string_view, Space> kSpaces[] = {
      {".reg", Space::reg},        {".param", Space::param},   {".global", Space::global},
      {".const", Space::constant}, {".shared", Space::shared}, {".local", Space::local}};
  for (const auto& [name, space] : kSpaces)
    if (directive == name) return space;
  return std::nullopt;
}

std::vector<std::string_view> split_dots(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t dot = text.find('.');
    parts.push_back(text.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    text.remove_prefix(dot + 1);
  }
}

class Parser {
 public:
  explicit Parser(Ast& ast) : ast_(ast), in_(ast.text) {}

  Status module() {
    while (!in_.at_end()) WW_CHECK(top_level());
    return {};
  }

 private:
  Status top_level();
  Status file_directive();
  Status function(bool is_entry, bool is_extern);
  Status function_attributes(Function& f);
  Status body(Function& f);
  Status statement(Function& f, std::string_view directive);
  Status loc();
  Status instruction(Function& f);
  Status parameters(std::vector<Variable>& out);
  std::string_view opcode();

  Ast& ast_;
  Lexer in_;
  SourceLine source_;
  /// By file, line and column: the line of the kernel's own file that this was inlined into.
  std::map<std::array<std::uint64_t, 3>, SourceLine> outermost_;
};

/// What the text has in pieces is put together behind its end, where there is room for all of it.
std::string_view Parser::opcode() {
  const std::string_view written = in_.instruction();
  const std::string joined = plain(written);
  if (joined.size() == written.size()) return written;
  const std::size_t start = ast_.text.size();
  ast_.text += joined;
  return std::string_view(ast_.text).substr(start);
}

Status Parser::top_level() {
  const std::string_view word = in_.directive();
  if (word == ".version") return in_.rest_of_line(), Status{};
  if (word == ".target") {
    ast_.target = std::string(in_.identifier());
    while (in_.accept(',')) in_.identifier();
    return {};
  }
  if (word == ".address_size") {
    WW_TRY(const std::uint64_t bits, parse_integer(in_, "the address size"));
    if (bits != 64) return in_.error("not supported: .address_size other than 64");
    return {};
  }
  if (word == ".file") return file_directive();
  if (word == ".section") {
    in_.dotted();
    in_.skip_braces();
    return {};
  }
  if (word == ".pragma" || word == ".alias") return in_.skip_statement(), Status{};
  if (word == ".visible" || word == ".weak" || word == ".common") return {};
  if (word == ".extern") {
    const std::string_view next = in_.directive();
    if (next == ".func") return function(false, true);
    if (next == ".entry") return function(true, true);
    if (const auto space = space_of(next))
      return parse_variables(in_, *space, true, false, ast_.variables);
    return in_.error("expected a variable or function after .extern");
  }
  if (word == ".entry") return function(true, false);
  if (word == ".func") return function(false, false);
  if (const auto space = space_of(word))
    return parse_variables(in_, *space, false, false, ast_.variables);
  return in_.error("not supported: '" + std::string(word.empty() ? "?" : word) +
                   "' at module level");
}

Status Parser::file_directive() {
  WW_TRY(const std::uint64_t index, parse_integer(in_, ".file"));
  if (index > 4096) return in_.error("a .file number above 4096");
  if (ast_.files.size() <= index) ast_.files.resize(index + 1);
  ast_.files[index] = std::string(in_.quoted());
  while (in_.accept(',')) WW_CHECK(parse_integer(in_, ".file"));
  return {};
}

Status Parser::loc() {
  WW_TRY(const std::uint64_t file, parse_integer(in_, ".loc"));
  WW_TRY(const std::uint64_t line, parse_integer(in_, ".loc"));
  WW_TRY(const std::uint64_t column, parse_integer(in_, ".loc"));
  SourceLine here{static_cast<std::uint16_t>(file), static_cast<std::uint32_t>(line)};
  SourceLine outermost = here;
  while (in_.accept(',')) {
    if (in_.accept_word("function_name")) {
      in_.identifier();
      if (in_.accept('+')) WW_CHECK(parse_integer(in_, ".loc"));
    } else if (in_.accept_word("inlined_at")) {
      WW_TRY(const std::uint64_t outer_file, parse_integer(in_, "inlined_at"));
      WW_TRY(const std::uint64_t outer_line, parse_integer(in_, "inlined_at"));
      WW_TRY(const std::uint64_t outer_column, parse_integer(in_, "inlined_at"));
      outermost = {static_cast<std::uint16_t>(outer_file), static_cast<std::uint32_t>(outer_line)};
      // Compilers list the ways in from the outside: the place inlined at was itself seen before.
      const auto known = outermost_.find({outer_file, outer_line, outer_column});
      if (known != outermost_.end()) outermost = known->second;
    }
  }
  if (outermost_.size() < kMaxPlaces) outermost_[{file, line, column}] = outermost;
  if (outermost.file != here.file) here = outermost;
  // Compilers write line 0 for "no line of its own": the last known one says more.
  if (here.line != 0) source_ = here;
  return {};
}

Status Parser::parameters(std::vector<Variable>& out) {
  if (!in_.accept('(')) return {};
  if (in_.accept(')')) return {};
  do {
    const std::string_view space = in_.directive();
    if (!space.starts_with(".param") && !space.starts_with(".reg"))
      return in_.error("expected .param in a parameter list");
    if (space != ".param")
      return in_.error("not supported: parameter '" + std::string(space) + "'");
    WW_CHECK(parse_variables(in_, Space::param, false, true, out));
  } while (in_.accept(','));
  return expect(in_, ')', "a parameter list");
}

Status Parser::function_attributes(Function& f) {
  while (in_.peek() == '.') {
    const std::string_view word = in_.directive();
    std::array<std::uint64_t, 3> n{1, 1, 1};
    const bool takes_numbers =
        word == ".maxntid" || word == ".reqntid" || word == ".minnctapersm" || word == ".maxnreg" ||
        word == ".maxnctapersm" || word == ".reqnctapercluster" || word == ".maxclusterrank";
    if (takes_numbers) {
      std::size_t i = 0;
      do {
        WW_TRY(const std::uint64_t value, parse_integer(in_, word));
        if (i < n.size()) n[i++] = value;
      } while (in_.accept(','));
    } else if (word == ".pragma") {
      in_.skip_statement();
    } else if (word != ".noreturn" && word != ".explicitcluster" && word != ".blocksareclusters") {
      return in_.error("not supported: function attribute '" + std::string(word) + "'");
    }
    if (word == ".maxntid" || word == ".reqntid")
      f.max_threads = static_cast<std::uint32_t>(n[0] * n[1] * n[2]);
    if (word == ".reqnctapercluster")
      for (std::size_t i = 0; i < n.size(); ++i) f.cluster[i] = static_cast<std::uint32_t>(n[i]);
  }
  return {};
}

Status Parser::function(bool is_entry, bool is_extern) {
  Function f;
  f.is_entry = is_entry;
  f.line = in_.line();
  // Attributes such as .noreturn may come before the results.
  WW_CHECK(parameters(f.results));
  f.name = in_.identifier();
  if (f.name.empty()) return in_.error("expected a function name");
  WW_CHECK(parameters(f.params));
  WW_CHECK(function_attributes(f));
  if (in_.accept(';')) {
    ast_.functions.push_back(std::move(f));
    return {};
  }
  if (is_extern) return in_.error("expected ';' after an extern function");
  WW_CHECK(expect(in_, '{', "a function"));
  f.has_body = true;
  WW_CHECK(body(f));
  ast_.functions.push_back(std::move(f));
  return {};
}

Status Parser::body(Function& f) {
  int depth = 1;
  source_ = {};
  while (true) {
    if (in_.at_end())
      return in_.error("the text ends inside function '" + std::string(f.name) + "'");
    Statement s;
    s.ptx_line = in_.line();
    s.source = source_;
    if (in_.accept(';')) continue;
    if (in_.accept('{')) {
      ++depth;
      s.kind = Statement::Kind::open;
      f.body.push_back(std::move(s));
    } else if (in_.accept('}')) {
      if (--depth == 0) return {};
      s.kind = Statement::Kind::close;
      f.body.push_back(std::move(s));
    } else if (in_.peek() == '.') {
      WW_CHECK(statement(f, in_.directive()));
    } else {
      WW_CHECK(instruction(f));
    }
  }
}

Status Parser::statement(Function& f, std::string_view directive) {
  if (directive == ".loc") return loc();
  if (directive == ".pragma") return in_.skip_statement(), Status{};
  if (const auto space = space_of(directive)) {
    std::vector<Variable> vars;
    const std::uint32_t line = in_.line();
    WW_CHECK(parse_variables(in_, *space, false, false, vars));
    for (Variable& v : vars) {
      Statement s;
      s.kind = Statement::Kind::variable;
      s.ptx_line = line;
      s.var = std::move(v);
      f.body.push_back(std::move(s));
    }
    return {};
  }
  return in_.error("not supported: directive '" + std::string(directive) + "'");
}

Status Parser::instruction(Function& f) {
  Statement s;
  s.ptx_line = in_.line();
  s.source = source_;
  if (in_.accept('@')) {
    s.ins.guard_negated = in_.accept('!');
    s.ins.guard = in_.identifier();
  }
  s.ins.text = opcode();
  if (s.ins.text.empty())
    return in_.error(std::string("expected an instruction, got '") + in_.peek() + "'");
  if (in_.accept(':')) {
    s.kind = Statement::Kind::label;
    s.label = s.ins.text;
    if (in_.peek() == '.') {
      const std::string_view word = in_.directive();
      // Calls name the sizes of what they pass; the prototype adds nothing.
      if (word == ".callprototype") return in_.skip_statement(), Status{};
      if (word != ".branchtargets") {
        f.body.push_back(std::move(s));
        return statement(f, word);
      }
      s.kind = Statement::Kind::targets;
      do s.targets.push_back(in_.identifier());
      while (in_.accept(','));
      WW_CHECK(expect(in_, ';', "a list of branch targets"));
    }
    f.body.push_back(std::move(s));
    return {};
  }
  s.ins.parts = split_dots(s.ins.text);
  while (!in_.accept(';')) {
    if (in_.at_end() || in_.peek() == '}') return in_.error("expected ';' after an instruction");
    WW_TRY(Operand o, parse_operand(in_));
    s.ins.operands.push_back(std::move(o));
    in_.accept(',');
  }
  f.body.push_back(std::move(s));
  return {};
}

}  // namespace

Result<Ast> parse_ptx(std::string_view text) {
  Ast ast;
  // One heap block that later moves of Ast keep: short texts would live inside the string object.
  // Twice the size, for opcode().
  ast.text.reserve(2 * text.size() + 64);
  ast.text.assign(text);
  ast.files.resize(1);
  Parser parser(ast);
  WW_CHECK(parser.module());
  return ast;
}

}  // namespace warpwright::ptx
