// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ptx/ast.h"
#include "ptx/call_graph.h"
#include "simt/isa/opcode.h"
#include "simt/state/report.h"
#include "simt/state/windows.h"

namespace warpwright::simt {

using ptx::Ast;
using ptx::CallGraph;
using ptx::SourceLine;
using ptx::Space;

inline constexpr std::uint32_t kLanes = 32;
inline constexpr std::uint32_t kAllLanes = 0xffffffffu;
inline constexpr std::uint32_t kNoBlock = 0xffffffffu;

/// Functions have addresses of their own, far from all data.
inline std::uint64_t function_address(std::size_t index) {
  return kFunctionWindow + 16 * (index + 1);
}
/// Shared addresses of another block of the cluster: its rank + 1 above the offset.
inline constexpr std::uint32_t kClusterRankShift = 24;

/// Where an operand lives: a byte offset into the warp's registers or, with the top bit, into
/// the constants of the block.
using Ref = std::uint32_t;
inline constexpr Ref kConstantBit = 0x80000000u;
/// No shadow word: the register is always written before it is read.
inline constexpr std::uint32_t kNoShadow = 0xffffffffu;

struct Warp;
struct Ins;
struct NativeCode;
struct OpRow;
/// Executes one instruction for the active lanes; the next one, or null to leave the warp.
using Handler = const Ins* (*)(Warp&, const Ins*);

/// One decoded instruction. What is not needed to execute it is in InsInfo.
struct Ins {
  Handler run = nullptr;
  Ref d = 0, a = 0, b = 0, c = 0;
  Ref guard = 0;                 ///< a predicate; the constant "true" for unguarded ones
  std::uint32_t guard_flip = 0;  ///< all ones for @!p
  std::int64_t imm = 0;
  const Ref* more = nullptr;  ///< further operands
  std::uint32_t id = 0;       ///< index in Kernel::code
  std::uint32_t target = 0;   ///< a block, or a side table's row
  std::uint32_t aux = 0;      ///< small parameters of the handler
  std::uint32_t aux2 = 0;
};

// Bits of Ins::aux of instructions that access memory.
inline constexpr std::uint32_t kNarrowAddress = 1;  ///< of 32 bits
inline constexpr std::uint32_t kStrongAccess = 2;   ///< volatile, relaxed, acquire, release
inline constexpr std::uint32_t kReleases = 4;       ///< atomics: release, acq_rel
inline constexpr std::uint32_t kBlockScope = 8;     ///< for the block only
inline constexpr std::uint32_t kAwaited =
    1u << 31;  ///< a barrier of the block that holds the memory waits for it
inline constexpr std::uint32_t kGuess = 16;  ///< what a load gives is only tried by a CAS
/// What a volatile or relaxed load gives is computed with: it is no flag that somebody waits for.
inline constexpr std::uint32_t kDataRead = 32;
/// Made by a product of four warps: over when one of them has waited for it.
inline constexpr std::uint32_t kOfProduct = 64;
/// Another warp's product reads the same and remembers it for all four.
inline constexpr std::uint32_t kRememberedOnce = 128;
/// Of barriers: all lanes of a warp must come together.
inline constexpr std::uint32_t kBarrierAligned = 16;

/// In Ins::aux2 of a load or store: 0, or one of these and the number of a row of Warp::known.
/// Loads and stores of a block that use one base register after the other: the first finds out how
/// the addresses lie (one, neighbours, scattered), the others know.
inline constexpr std::uint32_t kFindsPattern = 0x100;
inline constexpr std::uint32_t kKnowsPattern = 0x200;
inline constexpr std::uint32_t kPatternRows = 16;

/// What a load or store moves between registers and memory.
struct AccessForm {
  Space space = Space::generic;
  std::uint8_t bytes = 4;           ///< of one element
  std::uint8_t elements = 1;        ///< 1, 2, 4
  std::uint8_t register_bytes = 4;  ///< of one register
  bool is_signed = false;
  bool is_load = true;

  [[nodiscard]] std::uint32_t lane_bytes() const { return std::uint32_t{bytes} * elements; }
};

struct InsInfo {
  Opcode opcode = Opcode::nothing;
  AccessForm form;             ///< of Opcode::load and store
  const OpRow* row = nullptr;  ///< of Opcode::arithmetic
  std::uint32_t ptx_line = 0;
  SourceLine source;
  OpClass op_class = OpClass::move;
  bool counted = true;  ///< false for instructions of our own
  bool guarded = false;
  std::uint16_t flops = 0;                ///< per lane (tensor: per warp / 32)
  std::int32_t access = -1;               ///< row of AccessStats
  std::string_view text;                  ///< opcode as written
  std::uint16_t more = 0, more_defs = 0;  ///< length of Ins::more; that many are written

  /// Loads and stores whose statistics are kept by access; null for others.
  [[nodiscard]] const AccessForm* memory_form() const {
    const bool moves = opcode == Opcode::load || opcode == Opcode::store;
    return moves && form.space != Space::local ? &form : nullptr;
  }
};

struct BasicBlock {
  std::uint32_t first = 0;  ///< index into Kernel::code
  std::uint32_t size = 0;   ///< counted instructions
  std::uint32_t ipdom = kNoBlock;
  Chain chain;
};

/// A loop in which a warp only asks whether others are done; see wait_loops.h.
struct WaitLoop {
  std::vector<std::uint32_t> blocks;
  bool for_blocks = false;  ///< by what lies in global memory: maybe for other blocks
  bool writes = false;      ///< its questions are exchanges: whoever waits, they are work
};

/// A value that all lanes share and that is known when a block starts.
struct Constant {
  enum class Kind : std::uint8_t {
    bits,    ///< `value`
    param,   ///< launch parameter at byte `value`, `extent` bytes, maybe sign-extended
    global,  ///< address of module variable `symbol` plus `value`
    dynamic_shared,
    ctaid_x,
    ctaid_y,
    ctaid_z,
    nctaid_x,
    nctaid_y,
    nctaid_z,
    ntid_x,
    ntid_y,
    ntid_z,
    block_rank,
    dynamic_shared_bytes,
    total_shared_bytes,
    warps_per_block,
    cluster_x,  ///< blocks of a cluster
    cluster_y,
    cluster_z,
    cluster_blocks,
    in_cluster_x,  ///< place in the cluster
    in_cluster_y,
    in_cluster_z,
    in_cluster_rank,
    clusterid_x,
    clusterid_y,
    clusterid_z,
    nclusterid_x,
    nclusterid_y,
    nclusterid_z,
    is_cluster,
  };
  Kind kind = Kind::bits;
  std::uint8_t width = 4;  ///< bytes per lane; 0: a predicate
  std::uint8_t extent = 0;
  bool is_signed = false;
  std::uint64_t value = 0;
  /// global: the module variable; bits: 1 + the one of Kernel::variables whose address it is, or 0.
  std::uint32_t symbol = 0;
  Ref ref = 0;
  bool operator==(const Constant&) const = default;
};

/// A per-lane value filled in when a warp starts.
enum class LaneSpecial : std::uint8_t {
  tid_x,
  tid_y,
  tid_z,
  laneid,
  warpid,
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,
  count_,
};

/// Bytes of shared or local memory, [low, high).
struct Extent {
  std::uint32_t low = 0, high = 0xffffffffu;
  bool operator==(const Extent&) const = default;
};

struct SharedVariable {
  std::string name;
  std::uint32_t offset = 0;
  std::uint64_t size_bytes = 0;
};

struct KernelParam {
  std::string name;
  std::uint32_t size_bytes = 0;
  std::uint32_t offset = 0;
  std::uint32_t align = 1;
};

/// A kernel ready to run. Immutable after load.
struct Kernel {
  std::string name;
  std::vector<KernelParam> params;
  std::uint32_t param_bytes = 0;
  std::vector<Ins> code;
  std::vector<InsInfo> info;
  std::vector<BasicBlock> blocks;
  std::vector<Constant> constants;
  std::uint32_t constant_bytes = 0;
  std::uint32_t register_bytes = 0;  ///< of one warp
  std::vector<std::vector<Ref>> more;
  std::vector<std::vector<std::uint32_t>> jump_tables;
  /// Where writes to global memory can go: see write_origins.h. By site, indices of `constants`.
  std::vector<std::vector<std::uint32_t>> write_origins;
  bool knows_writes = false;
  std::uint32_t lane_special_ref[static_cast<std::size_t>(LaneSpecial::count_)] = {};
  bool uses_lane_special[static_cast<std::size_t>(LaneSpecial::count_)] = {};
  std::uint32_t static_shared_bytes = 0;
  std::vector<SharedVariable> shared;
  bool uses_dynamic_shared = false;
  std::uint32_t dynamic_shared_align = 16;
  std::uint32_t local_bytes = 0;      ///< per thread
  std::vector<SharedVariable> local;  ///< what it consists of, and the stack of calls
  std::uint32_t registers = 0;        ///< estimate: 32-bit registers alive at once
  std::uint32_t accesses = 0;         ///< rows of AccessStats
  std::vector<Extent> variables;      ///< of shared and local memory that the text names
  std::vector<Extent> extents;        ///< by row of AccessStats: see extents.h
  std::uint32_t max_threads = 0;
  std::uint32_t cluster[3] = {};   ///< required by the text; 0: not
  std::uint32_t shadow_words = 0;  ///< of registers that may be read before they are written
  bool follows_strays = false;     ///< as many words again, for strays: see definedness.h
  bool uses_cluster_barrier = false;
  bool in_step = false;       ///< it has instructions that a warp executes as a whole
  bool has_products = false;  ///< of four warps
  bool uses_heap = false;     ///< device-side malloc: one host thread only
  std::vector<WaitLoop> wait_loops;
  bool may_wait_for_blocks = false;  ///< global atomics, fences or volatile loads
  bool shares_work = false;          ///< blocks take pieces of work from a counter
  /// Its text has ways to order warps other than barriers of whole blocks: named barriers,
  /// mbarriers, flags in shared memory; blocks: fences, flags and counters in global memory.
  bool orders_warps = false, orders_blocks = false;
  bool updates_shared = false, has_fences = false;
  /// Where registers are kept and how wide they are: 0 for predicates, else bytes a lane.
  std::vector<std::pair<Ref, std::uint8_t>> places;
  [[nodiscard]] bool waits_for_blocks() const {
    for (const WaitLoop& loop : wait_loops)
      if (loop.for_blocks) return true;
    return false;
  }
  /// Of a copy whose entry points lead to compiled code; see native.h.
  const NativeCode* native = nullptr;
};

/// Everything made from one PTX text.
struct Program {
  Ast ast;
  CallGraph calls;
  std::vector<Kernel> kernels;
  /// Kernels that the machine cannot run, with the reason.
  std::vector<std::pair<std::string, std::string>> refused;
  /// Global and constant variables of ast.variables, by their index there.
  std::vector<std::uint32_t> globals;

  [[nodiscard]] const Kernel* find(std::string_view name) const {
    for (const Kernel& k : kernels)
      if (k.name == name) return &k;
    return nullptr;
  }
};

}  // namespace warpwright::simt
