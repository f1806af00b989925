// SPDX-License-Identifier: Apache-2.0
// Declarations of registers, parameters and variables, with their initial values.
#include <algorithm>
#include <bit>
#include <cstring>

#include "ptx/operands.h"
#include "ptx/types.h"

namespace warpwright::ptx {
namespace {

constexpr std::uint64_t kMaxVariableBytes = std::uint64_t{1} << 32;

Status initial_value(Lexer& in, Variable& v, std::uint64_t& offset) {
  const std::uint32_t width = bytes_of_type(v.type);
  if (width == 0) return in.error("not supported: an initialiser of this type");
  if (offset + width > v.size_bytes) return in.error("too many initial values");
  const char c = in.peek();
  if ((c >= '0' && c <= '9') || c == '-') {
    const bool negative = in.accept('-');
    WW_TRY(Operand value, parse_number(in, negative));
    std::uint64_t bits = value.bits;
    if (value.kind == Operand::Kind::real && v.type == "f32" && !value.single)
      bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
    std::memcpy(v.initial.data() + offset, &bits, std::min<std::size_t>(width, 8));
  } else {
    // An address: name, generic(name), name+4. `mask(...)` forms are not produced by compilers.
    std::string_view name = in.identifier();
    const bool generic = name == "generic";
    if (generic) {
      WW_CHECK(expect(in, '(', "an initialiser"));
      name = in.identifier();
    }
    if (name.empty() || width != 8) return in.error("not supported: this form of initialiser");
    Variable::Pointer pointer{offset, name, 0};
    if (generic) WW_CHECK(expect(in, ')', "an initialiser"));
    if (in.accept('+')) {
      WW_TRY(const std::uint64_t addend, parse_integer(in, "an initialiser"));
      pointer.addend = static_cast<std::int64_t>(addend);
    }
    v.pointers.push_back(pointer);
  }
  offset += width;
  return {};
}

Status initialiser(Lexer& in, Variable& v) {
  // Initialisers cannot be larger than the text that spells them; the check keeps a hostile
  // declaration of 4 GiB with one value from being allocated here.
  if (v.size_bytes > in.size() * 16 + 4096)
    return in.error("an initialiser for a variable far larger than the text");
  v.initial.assign(v.size_bytes, std::byte{0});
  std::uint64_t offset = 0;
  if (!in.accept('{')) return initial_value(in, v, offset);
  int depth = 1;
  while (depth > 0) {
    if (in.accept('{')) {
      ++depth;
    } else if (in.accept('}')) {
      --depth;
    } else if (!in.accept(',')) {
      WW_CHECK(initial_value(in, v, offset));
    }
    if (in.at_end() && depth > 0) return in.error("the text ends inside an initialiser");
  }
  return {};
}

Status array_suffix(Lexer& in, Variable& v) {
  while (in.accept('[')) {
    if (in.accept(']')) {
      v.size_bytes = 0;
      continue;
    }
    WW_TRY(const std::uint64_t n, parse_integer(in, "an array size"));
    if (n > kMaxVariableBytes || v.size_bytes * n > kMaxVariableBytes)
      return in.error("a variable above 4 GiB");
    v.size_bytes *= n;
    WW_CHECK(expect(in, ']', "an array"));
  }
  return {};
}

/// Everything before the first name.
Status declaration_head(Lexer& in, Variable& proto) {
  std::uint64_t elements = 1;
  bool aligned = false;
  while (in.peek() == '.') {
    const std::string_view word = in.directive();
    if (word == ".align") {
      WW_TRY(const std::uint64_t align, parse_integer(in, ".align"));
      if (!std::has_single_bit(align) || align > 4096) return in.error("a bad .align");
      proto.align = static_cast<std::uint32_t>(align);
      aligned = true;
    } else if (word == ".v2" || word == ".v4") {
      elements = word == ".v2" ? 2 : 4;
    } else if (word == ".attribute") {
      WW_CHECK(expect(in, '(', ".attribute"));
      while (!in.at_end() && !in.accept(')')) {
        if (in.dotted().empty() && !in.accept(',')) return in.error("a damaged .attribute");
      }
    } else if (word == ".ptr") {
      // `.ptr .global .align N`: a promise to the compiler; N is of the target, not the parameter.
      while (in.peek() == '.') {
        if (in.directive() == ".align") WW_CHECK(parse_integer(in, ".align"));
      }
    } else {
      proto.type = word.substr(1);
    }
  }
  const std::uint32_t bytes = bytes_of_type(proto.type);
  if (bytes == 0 && proto.type != "pred")
    return in.error("not supported: type '" + std::string(proto.type) + "'");
  if (proto.space == Space::reg && elements > 1) return in.error("not supported: vector registers");
  if (!aligned)
    proto.align = static_cast<std::uint32_t>(bytes * elements == 0 ? 1 : bytes * elements);
  proto.size_bytes = bytes * elements;
  return {};
}

}  // namespace

Status parse_variables(Lexer& in, Space space, bool is_extern, bool one,
                       std::vector<Variable>& out) {
  Variable proto;
  proto.space = space;
  proto.is_extern = is_extern;
  proto.line = in.line();
  WW_CHECK(declaration_head(in, proto));
  do {
    Variable v = proto;
    v.name = in.identifier();
    if (v.name.empty()) return in.error("expected a variable name");
    if (in.accept('<')) {
      WW_TRY(const std::uint64_t count, parse_integer(in, "a register range"));
      if (count > (1u << 20)) return in.error("more than 1048576 registers");
      v.count = static_cast<std::uint32_t>(count);
      WW_CHECK(expect(in, '>', "a register range"));
    }
    WW_CHECK(array_suffix(in, v));
    if (in.accept('=')) WW_CHECK(initialiser(in, v));
    out.push_back(std::move(v));
  } while (!one && in.accept(','));
  if (one) return {};
  return expect(in, ';', "a declaration");
}

}  // namespace warpwright::ptx
