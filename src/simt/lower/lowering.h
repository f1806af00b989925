// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "ptx/types.h"
#include "simt/ops/alu.h"
#include "simt/state/program.h"

// From the parsed text to a kernel's code: calls are expanded in place, registers get numbers,
// every instruction gets its handler. Then build.cpp finds the control flow and places registers.

namespace warpwright::simt {

using ptx::bytes_of_type;
using ptx::Function;
using ptx::Instruction;
using ptx::Operand;
using ptx::Statement;
using ptx::Variable;

/// A virtual register or, with kConstantBit, a constant of the kernel.
using Val = std::uint32_t;
inline constexpr Val kNoVal = 0x7fffffffu;

/// An instruction before registers are placed.
struct Lir {
  /// A call names its callees in `table`, three words each; give_back is where they return.
  enum class Flow : std::uint8_t { next, branch, jump, exit, table, call, give_back };
  Handler run = nullptr;
  Val d = kNoVal, a = kNoVal, b = kNoVal, c = kNoVal, guard = kNoVal;
  bool guard_negated = false;
  std::vector<Val> more;
  std::uint32_t more_defs = 0;  ///< that many of `more` are written, the rest are read
  std::int64_t imm = 0;
  std::uint32_t aux = 0, aux2 = 0;
  Flow flow = Flow::next;
  std::uint32_t label = 0;
  std::vector<std::uint32_t> table;
  InsInfo info;
  bool ghost = false;  ///< counted, but not executed: its result is used under another name
};

/// A volatile, relaxed or acquiring load, which may ask for what others did.
inline bool is_strong_load(const Lir& l) {
  return l.info.opcode == Opcode::load && (l.aux & kStrongAccess) != 0;
}

struct LoweredKernel {
  std::vector<Lir> code;
  std::vector<std::uint32_t> labels;    ///< label -> index into code
  std::vector<std::uint8_t> registers;  ///< width of each virtual register; 0: predicate
  std::vector<Val> pinned;              ///< registers that share their place with no other
  Kernel kernel;                        ///< everything but code and blocks
};

/// Where an instruction writes: a register, maybe through a temporary of the right width.
struct Dest {
  Val val = kNoVal;
  Val final = kNoVal;
  ArgType type;
};

class Lowering {
 public:
  Lowering(const Program& program, const Function& entry) : program_(program), entry_(entry) {}
  Result<LoweredKernel> run();

  // What the decoders of single instructions use. All errors name the PTX line.
  [[nodiscard]] Error error(std::string_view what) const;
  [[nodiscard]] Error unsupported() const;
  [[nodiscard]] const Statement& statement() const { return *at_; }
  [[nodiscard]] const std::vector<Operand>& operands() const { return at_->ins.operands; }

  Result<Val> value(const Operand& o, ArgType type);
  Result<Val> predicate(const Operand& o);
  Result<Dest> dest(const Operand& o, ArgType type);
  /// A register as it is, with its width.
  Result<Val> plain_register(const Operand& o, std::uint32_t& width);
  Val constant(Constant c);
  Val constant_bits(std::uint64_t bits, std::uint8_t width);
  Val temporary(std::uint8_t width);
  [[nodiscard]] std::uint8_t width_of(Val v) const;

  /// Adds an instruction with the statement's position: the handler and class of its opcode's row.
  Lir& emit(Opcode opcode);
  Status emit_row(const OpRow& row, const Dest& d, const std::vector<Val>& args);
  /// The same for a row that must exist.
  Status emit_op(std::string_view opcode, const Dest& d, const std::vector<Val>& args);
  /// Moves a result from its temporary to a register of another width.
  Status settle(const Dest& d);
  Result<std::uint32_t> label(std::string_view name);
  const std::vector<std::string_view>* branch_targets(std::string_view name) const;

  struct Address {
    Val base = kNoVal;
    std::int64_t offset = 0;
    bool narrow = false;  ///< the base is a 32-bit register
  };
  Result<Address> address(const Operand& o);

  /// One row of per-instruction statistics.
  std::int32_t new_access() { return static_cast<std::int32_t>(out_.kernel.accesses++); }
  Kernel& kernel() { return out_.kernel; }
  /// The instruction added last.
  Lir& last() { return out_.code.back(); }

  Status parameter_load(const Operand& to, const Operand& from, std::string_view type);
  Status parameter_store(const Operand& to, const Operand& from, std::string_view type);
  Status call();
  Status leave();
  bool is_register(std::string_view name) const;

 private:
  struct Symbol {
    enum class Kind : std::uint8_t {
      range,
      reg,
      storage,
      kernel_param,
      shared,
      local,
      global,
      label,
      dynamic_shared,
      function,
      frame,  ///< a local variable of a function that is called for real
      targets
    };
    Kind kind = Kind::reg;
    std::uint32_t index = 0;
    std::uint64_t offset = 0;
    std::uint8_t width = 0;
    const Statement* targets = nullptr;
  };
  using Scope = std::unordered_map<std::string_view, Symbol>;
  /// A `.param` variable of a call: one register per offset that is used.
  struct Storage {
    std::uint64_t size_bytes = 0;
    std::map<std::uint64_t, Val> parts;
    std::int64_t alias = -1;  ///< results of a real call are elsewhere
  };
  /// A function that is called for real.
  struct OutOfLine {
    std::size_t index = 0;                         ///< in Ast::functions
    std::uint32_t entry = 0, leave = 0, back = 0;  ///< labels: start, clean-up, return
    std::vector<std::uint32_t> params, results;    ///< storages
    std::vector<Val> registers;
    std::vector<std::size_t> frames;  ///< instructions that save or restore them
  };

  Status body(const Function& f);
  Status declare(const Variable& v);
  Status declare_range(const Variable& v);
  void open_scope(const std::vector<Statement>& body, std::size_t from);
  Status instruction();
  Status kernel_parameters();
  const Symbol* find(std::string_view name);
  Result<Symbol> module_symbol(std::string_view name);
  Symbol shared_symbol(const Variable& v);
  std::uint32_t new_variable(std::uint64_t offset, std::uint64_t bytes);
  Result<Val> special(std::string_view name, bool& found);
  Result<Val> symbol_value(std::string_view name, std::int64_t addend, ArgType type);
  Result<Val> adapt(Val v, ArgType type);
  Val lane_special(LaneSpecial s);
  Val storage_part(Storage& s, std::uint64_t offset, std::uint8_t width, bool& fits);
  Status call_native(const OpRow& row, const Operand* results, const Operand* args);
  /// The register of an argument or result of a runtime function.
  Result<Val> runtime_operand(std::string_view function, const Operand& o, std::uint8_t width);
  Status call_runtime(std::string_view name, const Operand* results, const Operand* args);
  Status inline_call(const Function& f, const Operand* results, const Operand* args);
  Result<std::uint32_t> storage_index(const Operand& o);

  OutOfLine& out_of_line(std::size_t function);
  std::uint32_t new_label();
  std::uint32_t result_storage(std::uint64_t bytes);
  Status pass_arguments(OutOfLine& callee, const Operand* args);
  Status real_call(const std::vector<std::size_t>& callees, Val address, const Operand* results,
                   const Operand* args);
  Status indirect_call(const Operand& target, const Operand* results, const Operand* args);
  Status start_stack();
  Status function_body(OutOfLine& o);
  Status fill_frames(OutOfLine& o);
  Status lower_functions();

  const Program& program_;
  const Function& entry_;
  LoweredKernel out_;
  std::vector<Scope> scopes_;
  std::size_t scope_floor_ = 0;  ///< scopes of callers are below and invisible
  std::deque<Storage> storages_;
  std::map<const Variable*, Symbol> shared_;
  std::unordered_map<std::uint64_t, std::vector<Val>> constant_index_;
  std::vector<const Function*> active_;
  std::vector<std::uint32_t> return_labels_;
  const Statement* at_ = nullptr;
  std::deque<OutOfLine> functions_;
  std::map<std::uint64_t, std::uint32_t> result_storages_;  ///< by size
  OutOfLine* current_ = nullptr;                            ///< null: the kernel itself
  Val stack_ = kNoVal, frame_ = kNoVal;
  std::uint64_t frame_bytes_ = 0;
  bool result_written_ = false;
  std::uint64_t local_bytes_ = 0;
  std::uint64_t shared_bytes_ = 0;
  Val specials_[static_cast<std::size_t>(LaneSpecial::count_)];
};

/// `_ZZ6kernelPfE4tile` is the tile of kernel; other names stay as they are.
std::string_view name_in_source(std::string_view name);

/// Decodes the current statement; the table of all opcodes that are not plain arithmetic.
using Decoder = Status (*)(Lowering&);
/// Whether blocks may tell each other something by such an instruction.
bool may_order_blocks(const std::vector<std::string_view>& parts);
/// Notes what an instruction says of how the kernel's warps and blocks are ordered.
void note_order(const std::vector<std::string_view>& parts, Kernel& k);

Decoder find_decoder(std::string_view base_opcode);

Status decode_arithmetic(Lowering& l);

/// Control flow, post-dominators, register placement: the code to execute.
Result<Kernel> build_kernel(LoweredKernel&& lowered);

}  // namespace warpwright::simt
