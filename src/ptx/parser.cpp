// SPDX-License-Identifier: Apache-2.0
#include "ptx/parser.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "ptx/scanner.h"

namespace warpwright::simt {
namespace {

constexpr std::uint64_t kMaxVariableBytes = std::uint64_t{1} << 32;
constexpr std::size_t kMaxOperandDepth = 4;
constexpr std::size_t kMaxPlaces = 1 << 20;

constexpr std::pair<std::string_view, std::uint32_t> kTypeBytes[] = {
    {"b8", 1},   {"u8", 1},  {"s8", 1},  {"b16", 2}, {"u16", 2}, {"s16", 2},   {"f16", 2},
    {"bf16", 2}, {"b32", 4}, {"u32", 4}, {"s32", 4}, {"f32", 4}, {"f16x2", 4}, {"bf16x2", 4},
    {"tf32", 4}, {"b64", 8}, {"u64", 8}, {"s64", 8}, {"f64", 8}, {"b128", 16},
};

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

/// 12, -3, 0x1F, 0b101, 017, 12U.
std::optional<std::uint64_t> to_integer(std::string_view text) {
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    base = 8;
    if (text[1] == 'x' || text[1] == 'X') base = 16;
    if (text[1] == 'b' || text[1] == 'B') base = 2;
    text.remove_prefix(base == 8 ? 1 : 2);
  }
  if (!text.empty() && text.back() == 'U') text.remove_suffix(1);
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (code != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
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
  Result<Operand> operand(std::size_t depth);
  Result<Operand> number(bool negative);
  Result<Operand> list(char close, std::size_t depth);
  Result<Operand> address();
  Status variables(Space space, bool is_extern, std::vector<Variable>& out, bool one);
  Status array_suffix(Variable& v, std::uint64_t elements);
  Status initialiser(Variable& v);
  Status initial_value(Variable& v, std::uint64_t& offset);
  Result<std::uint64_t> integer(std::string_view what);
  Status parameters(std::vector<Variable>& out);
  Status expect(char c, std::string_view where);
  std::string_view opcode();

  Ast& ast_;
  Scanner in_;
  SourceLine source_;
  /// By file, line and column: the line of the kernel's own file that this was inlined into.
  std::map<std::array<std::uint64_t, 3>, SourceLine> outermost_;
};

Status Parser::expect(char c, std::string_view where) {
  if (in_.accept(c)) return {};
  return in_.error(std::string("expected '") + c + "' in " + std::string(where));
}

Result<std::uint64_t> Parser::integer(std::string_view what) {
  const bool negative = in_.accept('-');
  const std::string_view text = in_.identifier();
  if (const auto value = to_integer(text)) return negative ? std::uint64_t{0} - *value : *value;
  return in_.error("expected a number for " + std::string(what) + ", got '" + std::string(text) +
                   "'");
}

/// With all its qualifiers: blanks and comments may stand before each. What the text has in pieces
/// is put together behind its end, where there is room for all of it.
std::string_view Parser::opcode() {
  const std::string_view first = in_.dotted();
  if (first.empty() || in_.peek() != '.') return first;
  const std::size_t start = ast_.text.size();
  ast_.text += first;
  while (in_.peek() == '.') ast_.text += in_.dotted();
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
    WW_TRY(const std::uint64_t bits, integer("the address size"));
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
    if (const auto space = space_of(next)) return variables(*space, true, ast_.variables, false);
    return in_.error("expected a variable or function after .extern");
  }
  if (word == ".entry") return function(true, false);
  if (word == ".func") return function(false, false);
  if (const auto space = space_of(word)) return variables(*space, false, ast_.variables, false);
  return in_.error("not supported: '" + std::string(word.empty() ? "?" : word) +
                   "' at module level");
}

Status Parser::file_directive() {
  WW_TRY(const std::uint64_t index, integer(".file"));
  if (index > 4096) return in_.error("a .file number above 4096");
  if (ast_.files.size() <= index) ast_.files.resize(index + 1);
  ast_.files[index] = std::string(in_.quoted());
  while (in_.accept(',')) WW_CHECK(integer(".file"));
  return {};
}

Status Parser::loc() {
  WW_TRY(const std::uint64_t file, integer(".loc"));
  WW_TRY(const std::uint64_t line, integer(".loc"));
  WW_TRY(const std::uint64_t column, integer(".loc"));
  SourceLine here{static_cast<std::uint16_t>(file), static_cast<std::uint32_t>(line)};
  SourceLine outermost = here;
  while (in_.accept(',')) {
    if (in_.accept_word("function_name")) {
      in_.identifier();
      if (in_.accept('+')) WW_CHECK(integer(".loc"));
    } else if (in_.accept_word("inlined_at")) {
      WW_TRY(const std::uint64_t outer_file, integer("inlined_at"));
      WW_TRY(const std::uint64_t outer_line, integer("inlined_at"));
      WW_TRY(const std::uint64_t outer_column, integer("inlined_at"));
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
    WW_CHECK(variables(Space::param, false, out, true));
  } while (in_.accept(','));
  return expect(')', "a parameter list");
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
        WW_TRY(const std::uint64_t value, integer(word));
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
  WW_CHECK(expect('{', "a function"));
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
    WW_CHECK(variables(*space, false, vars, false));
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
      WW_CHECK(expect(';', "a list of branch targets"));
    }
    f.body.push_back(std::move(s));
    return {};
  }
  s.ins.parts = split_dots(s.ins.text);
  while (!in_.accept(';')) {
    if (in_.at_end() || in_.peek() == '}') return in_.error("expected ';' after an instruction");
    WW_TRY(Operand o, operand(0));
    s.ins.operands.push_back(std::move(o));
    in_.accept(',');
  }
  f.body.push_back(std::move(s));
  return {};
}

Result<Operand> Parser::list(char close, std::size_t depth) {
  Operand o;
  o.kind = Operand::Kind::vector;
  while (!in_.accept(close)) {
    WW_TRY(Operand element, operand(depth + 1));
    o.list.push_back(std::move(element));
    if (!in_.accept(',') && in_.peek() != close)
      return in_.error("expected ',' in a list of operands");
  }
  return o;
}

Result<Operand> Parser::address() {
  Operand o;
  o.kind = Operand::Kind::address;
  const char c = in_.peek();
  if ((c >= '0' && c <= '9') || c == '-') {
    WW_TRY(o.bits, integer("an address"));
  } else {
    o.name = in_.identifier();
    if (o.name.empty()) return in_.error("expected a name in an address");
    if (in_.accept('+') || in_.peek() == '-') {
      WW_TRY(o.bits, integer("an offset"));
    }
  }
  // [name, {coordinates}] of tensor copies and textures: for whoever refuses them.
  while (in_.accept(',')) {
    WW_TRY(Operand element, operand(1));
    o.list.push_back(std::move(element));
  }
  WW_CHECK(expect(']', "an address"));
  return o;
}

Result<Operand> Parser::number(bool negative) {
  const std::string_view text = in_.dotted();
  Operand o;
  const bool hex_float = text.size() > 1 && text[0] == '0' && std::strchr("fFdD", text[1]);
  if (hex_float) {
    o.kind = Operand::Kind::real;
    o.single = text[1] == 'f' || text[1] == 'F';
    const auto [end, code] =
        std::from_chars(text.data() + 2, text.data() + text.size(), o.bits, 16);
    if (code != std::errc{} || end != text.data() + text.size())
      return in_.error("a damaged floating-point constant '" + std::string(text) + "'");
    if (negative) o.bits ^= o.single ? 0x80000000ull : 0x8000000000000000ull;
    return o;
  }
  if (const auto value = to_integer(text)) {
    o.kind = Operand::Kind::integer;
    o.bits = negative ? std::uint64_t{0} - *value : *value;
    return o;
  }
  double real = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), real);
  if (code != std::errc{} || end != text.data() + text.size())
    return in_.error("expected a number, got '" + std::string(text) + "'");
  o.kind = Operand::Kind::real;
  o.bits = std::bit_cast<std::uint64_t>(negative ? -real : real);
  return o;
}

Result<Operand> Parser::operand(std::size_t depth) {
  if (depth > kMaxOperandDepth) return in_.error("operands nested too deeply");
  if (in_.accept('{')) return list('}', depth);
  if (in_.accept('(')) return list(')', depth);
  if (in_.accept('[')) return address();
  Operand o;
  o.negated = in_.accept('!');
  if (in_.peek() == '-') {
    in_.accept('-');
    return number(true);
  }
  if (in_.peek() >= '0' && in_.peek() <= '9') return number(false);
  o.name = in_.dotted();
  if (o.name.empty()) return in_.error(std::string("unexpected '") + in_.peek() + "'");
  if (o.name == "_") o.kind = Operand::Kind::sink;
  if (in_.accept('|')) {
    Operand pair;
    pair.kind = Operand::Kind::pair;
    Operand second;
    second.name = in_.dotted();
    if (second.name == "_") second.kind = Operand::Kind::sink;
    pair.list.push_back(std::move(o));
    pair.list.push_back(std::move(second));
    return pair;
  }
  return o;
}

Status Parser::variables(Space space, bool is_extern, std::vector<Variable>& out, bool one) {
  Variable proto;
  proto.space = space;
  proto.is_extern = is_extern;
  proto.line = in_.line();
  std::uint64_t elements = 1;
  bool aligned = false;
  while (in_.peek() == '.') {
    const std::string_view word = in_.directive();
    if (word == ".align") {
      WW_TRY(const std::uint64_t align, integer(".align"));
      if (!std::has_single_bit(align) || align > 4096) return in_.error("a bad .align");
      proto.align = static_cast<std::uint32_t>(align);
      aligned = true;
    } else if (word == ".v2" || word == ".v4") {
      elements = word == ".v2" ? 2 : 4;
    } else if (word == ".attribute") {
      WW_CHECK(expect('(', ".attribute"));
      while (!in_.at_end() && !in_.accept(')')) {
        if (in_.dotted().empty() && !in_.accept(',')) return in_.error("a damaged .attribute");
      }
    } else if (word == ".ptr") {
      // `.ptr .global .align N`: a promise to the compiler; N is of the target, not the parameter.
      while (in_.peek() == '.') {
        if (in_.directive() == ".align") WW_CHECK(integer(".align"));
      }
    } else {
      proto.type = word.substr(1);
    }
  }
  const std::uint32_t bytes = bytes_of_type(proto.type);
  if (bytes == 0 && proto.type != "pred")
    return in_.error("not supported: type '" + std::string(proto.type) + "'");
  if (space == Space::reg && elements > 1) return in_.error("not supported: vector registers");
  if (!aligned)
    proto.align = static_cast<std::uint32_t>(bytes * elements == 0 ? 1 : bytes * elements);
  do {
    Variable v = proto;
    v.name = in_.identifier();
    if (v.name.empty()) return in_.error("expected a variable name");
    v.size_bytes = bytes * elements;
    if (in_.accept('<')) {
      WW_TRY(const std::uint64_t count, integer("a register range"));
      if (count > (1u << 20)) return in_.error("more than 1048576 registers");
      v.count = static_cast<std::uint32_t>(count);
      WW_CHECK(expect('>', "a register range"));
    }
    WW_CHECK(array_suffix(v, elements));
    if (in_.accept('=')) WW_CHECK(initialiser(v));
    out.push_back(std::move(v));
  } while (!one && in_.accept(','));
  if (one) return {};
  return expect(';', "a declaration");
}

Status Parser::array_suffix(Variable& v, std::uint64_t elements) {
  while (in_.accept('[')) {
    if (in_.accept(']')) {
      v.size_bytes = 0;
      continue;
    }
    WW_TRY(const std::uint64_t n, integer("an array size"));
    if (n > kMaxVariableBytes || v.size_bytes * n > kMaxVariableBytes)
      return in_.error("a variable above 4 GiB");
    v.size_bytes *= n;
    WW_CHECK(expect(']', "an array"));
  }
  (void)elements;
  return {};
}

Status Parser::initialiser(Variable& v) {
  // Initialisers cannot be larger than the text that spells them; the check keeps a hostile
  // declaration of 4 GiB with one value from being allocated here.
  if (v.size_bytes > ast_.text.size() * 16 + 4096)
    return in_.error("an initialiser for a variable far larger than the text");
  v.initial.assign(v.size_bytes, std::byte{0});
  std::uint64_t offset = 0;
  if (!in_.accept('{')) return initial_value(v, offset);
  int depth = 1;
  while (depth > 0) {
    if (in_.accept('{')) {
      ++depth;
    } else if (in_.accept('}')) {
      --depth;
    } else if (!in_.accept(',')) {
      WW_CHECK(initial_value(v, offset));
    }
    if (in_.at_end() && depth > 0) return in_.error("the text ends inside an initialiser");
  }
  return {};
}

Status Parser::initial_value(Variable& v, std::uint64_t& offset) {
  const std::uint32_t width = bytes_of_type(v.type);
  if (width == 0) return in_.error("not supported: an initialiser of this type");
  if (offset + width > v.size_bytes) return in_.error("too many initial values");
  const char c = in_.peek();
  if ((c >= '0' && c <= '9') || c == '-') {
    const bool negative = in_.accept('-');
    WW_TRY(Operand value, number(negative));
    std::uint64_t bits = value.bits;
    if (value.kind == Operand::Kind::real && v.type == "f32" && !value.single)
      bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
    std::memcpy(v.initial.data() + offset, &bits, std::min<std::size_t>(width, 8));
  } else {
    // An address: name, generic(name), name+4. `mask(...)` forms are not produced by compilers.
    std::string_view name = in_.identifier();
    const bool generic = name == "generic";
    if (generic) {
      WW_CHECK(expect('(', "an initialiser"));
      name = in_.identifier();
    }
    if (name.empty() || width != 8) return in_.error("not supported: this form of initialiser");
    Variable::Pointer pointer{offset, name, 0};
    if (generic) WW_CHECK(expect(')', "an initialiser"));
    if (in_.accept('+')) {
      WW_TRY(const std::uint64_t addend, integer("an initialiser"));
      pointer.addend = static_cast<std::int64_t>(addend);
    }
    v.pointers.push_back(pointer);
  }
  offset += width;
  return {};
}

}  // namespace

std::uint32_t bytes_of_type(std::string_view type) {
  for (const auto& [name, bytes] : kTypeBytes)
    if (name == type) return bytes;
  return 0;
}

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

}  // namespace warpwright::simt
