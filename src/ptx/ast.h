// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpwright::ptx {

/// State spaces of PTX variables and memory instructions.
enum class Space : std::uint8_t { generic, reg, param, global, constant, shared, local };

/// A source position as `.loc` gives it. Inlined code is charged to the outermost call when it
/// comes from another file, because that is the line the kernel's author wrote.
struct SourceLine {
  std::uint16_t file = 0;  ///< number of the `.file` row, 0: unknown
  std::uint32_t line = 0;  ///< 0: unknown
  bool operator==(const SourceLine&) const = default;
};

/// One operand as written. Texts point into Ast::text.
struct Operand {
  enum class Kind : std::uint8_t {
    name,     ///< register, special register ("%tid.x"), variable or label
    integer,  ///< `bits` is the value
    real,     ///< `bits` is a binary64 or, when `single`, binary32 pattern
    address,  ///< [name + offset] or [offset]
    vector,   ///< {a, b, ...}; also the argument list of a call
    pair,     ///< p|q
    sink,     ///< _
  };
  Kind kind = Kind::name;
  bool negated = false;
  bool single = false;
  std::string_view name;
  std::uint64_t bits = 0;
  std::vector<Operand> list;
};

/// One instruction: opcode split at the dots, guard, operands in order.
struct Instruction {
  std::string_view guard;  ///< empty: unguarded
  bool guard_negated = false;
  std::string_view text;                ///< whole opcode, for messages
  std::vector<std::string_view> parts;  ///< text split at '.'
  std::vector<Operand> operands;
};

/// A `.reg`, `.param`, `.shared`, `.local`, `.global` or `.const` declaration.
struct Variable {
  Space space = Space::reg;
  std::string_view name;
  std::string_view type;         ///< "b32", "pred", ...
  std::uint32_t count = 0;       ///< registers: N of %r<N>, 0 for a single one
  std::uint64_t size_bytes = 0;  ///< whole variable; 0 for `extern` arrays without a size
  std::uint32_t align = 1;
  bool is_extern = false;
  std::vector<std::byte> initial;  ///< empty: zeros
  struct Pointer {
    std::uint64_t offset = 0;
    std::string_view symbol;
    std::int64_t addend = 0;
  };
  std::vector<Pointer> pointers;  ///< addresses inside the initialiser
  std::uint32_t line = 0;
};

struct Statement {
  enum class Kind : std::uint8_t { instruction, label, open, close, variable, targets };
  Kind kind = Kind::instruction;
  std::uint32_t ptx_line = 0;
  SourceLine source;
  std::string_view label;  ///< label; also the name of a .branchtargets list
  std::vector<std::string_view> targets;
  Instruction ins;
  Variable var;
};

struct Function {
  std::string_view name;
  bool is_entry = false;
  bool has_body = false;
  std::vector<Variable> params;
  std::vector<Variable> results;
  std::vector<Statement> body;
  std::uint32_t line = 0;
  std::uint32_t max_threads = 0;  ///< .maxntid, 0: none given
  std::uint32_t cluster[3] = {};  ///< .reqnctapercluster, 0: none given
};

/// A parsed PTX text. Owns the text that all names point into.
struct Ast {
  std::string text;
  std::string target;              ///< "sm_80"
  std::vector<std::string> files;  ///< by `.file` number; [0] is empty
  std::vector<Variable> variables;
  std::vector<Function> functions;
};

}  // namespace warpwright::ptx
