// SPDX-License-Identifier: Apache-2.0
#include "ptx/operands.h"

#include <bit>
#include <charconv>
#include <cstring>
#include <optional>

namespace warpwright::ptx {
namespace {

constexpr std::size_t kMaxOperandDepth = 4;

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

Result<Operand> nested(Lexer& in, std::size_t depth);

Result<Operand> list(Lexer& in, char close, std::size_t depth) {
  Operand o;
  o.kind = Operand::Kind::vector;
  while (!in.accept(close)) {
    WW_TRY(Operand element, nested(in, depth + 1));
    o.list.push_back(std::move(element));
    if (!in.accept(',') && in.peek() != close)
      return in.error("expected ',' in a list of operands");
  }
  return o;
}

Result<Operand> address(Lexer& in) {
  Operand o;
  o.kind = Operand::Kind::address;
  const char c = in.peek();
  if ((c >= '0' && c <= '9') || c == '-') {
    WW_TRY(o.bits, parse_integer(in, "an address"));
  } else {
    o.name = in.identifier();
    if (o.name.empty()) return in.error("expected a name in an address");
    if (in.accept('+') || in.peek() == '-') {
      WW_TRY(o.bits, parse_integer(in, "an offset"));
    }
  }
  // [name, {coordinates}] of tensor copies and textures: for whoever refuses them.
  while (in.accept(',')) {
    WW_TRY(Operand element, nested(in, 1));
    o.list.push_back(std::move(element));
  }
  WW_CHECK(expect(in, ']', "an address"));
  return o;
}

Result<Operand> nested(Lexer& in, std::size_t depth) {
  if (depth > kMaxOperandDepth) return in.error("operands nested too deeply");
  if (in.accept('{')) return list(in, '}', depth);
  if (in.accept('(')) return list(in, ')', depth);
  if (in.accept('[')) return address(in);
  Operand o;
  o.negated = in.accept('!');
  if (in.peek() == '-') {
    in.accept('-');
    return parse_number(in, true);
  }
  if (in.peek() >= '0' && in.peek() <= '9') return parse_number(in, false);
  o.name = in.dotted();
  if (o.name.empty()) return in.error(std::string("unexpected '") + in.peek() + "'");
  if (o.name == "_") o.kind = Operand::Kind::sink;
  if (in.accept('|')) {
    Operand pair;
    pair.kind = Operand::Kind::pair;
    Operand second;
    second.name = in.dotted();
    if (second.name == "_") second.kind = Operand::Kind::sink;
    pair.list.push_back(std::move(o));
    pair.list.push_back(std::move(second));
    return pair;
  }
  return o;
}

}  // namespace

Status expect(Lexer& in, char c, std::string_view where) {
  if (in.accept(c)) return {};
  return in.error(std::string("expected '") + c + "' in " + std::string(where));
}

Result<std::uint64_t> parse_integer(Lexer& in, std::string_view what) {
  const bool negative = in.accept('-');
  const std::string_view text = in.identifier();
  if (const auto value = to_integer(text)) return negative ? std::uint64_t{0} - *value : *value;
  return in.error("expected a number for " + std::string(what) + ", got '" + std::string(text) +
                  "'");
}

Result<Operand> parse_number(Lexer& in, bool negative) {
  const std::string_view text = in.dotted();
  Operand o;
  const bool hex_float = text.size() > 1 && text[0] == '0' && std::strchr("fFdD", text[1]);
  if (hex_float) {
    o.kind = Operand::Kind::real;
    o.single = text[1] == 'f' || text[1] == 'F';
    const auto [end, code] =
        std::from_chars(text.data() + 2, text.data() + text.size(), o.bits, 16);
    if (code != std::errc{} || end != text.data() + text.size())
      return in.error("a damaged floating-point constant '" + std::string(text) + "'");
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
    return in.error("expected a number, got '" + std::string(text) + "'");
  o.kind = Operand::Kind::real;
  o.bits = std::bit_cast<std::uint64_t>(negative ? -real : real);
  return o;
}

Result<Operand> parse_operand(Lexer& in) { return nested(in, 0); }

}  // namespace warpwright::ptx
