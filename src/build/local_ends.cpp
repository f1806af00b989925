// SPDX-License-Identifier: Apache-2.0
#include "build/local_ends.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <vector>

#include "base/text.h"
#include "ptx/parser.h"

namespace warpwright::build {
namespace {

using Bytes = std::vector<std::uint64_t>;
/// By the name of a frame: where its variables begin, ascending.
using FrameStarts = std::map<std::string, Bytes, std::less<>>;

constexpr std::string_view kFramePrefix = "__local_depot";

/// The numbers of ".b8 177,1"; none of another line.
Bytes bytes_of_row(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with(".b8")) return {};
  line.remove_prefix(3);
  Bytes bytes;
  while (!line.empty()) {
    line = trimmed(line);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
    if (error != std::errc{}) return {};
    bytes.push_back(value);
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    if (line.starts_with(',')) line.remove_prefix(1);
  }
  return bytes;
}

bool is_row_of(std::string_view line, std::uint64_t byte) {
  const Bytes bytes = bytes_of_row(line);
  return bytes.size() == 1 && bytes.front() == byte;
}

/// A number in groups of seven bits, over as many rows as it takes.
std::optional<std::uint64_t> leb128_at(const std::vector<std::string_view>& lines, std::size_t at) {
  std::uint64_t value = 0;
  unsigned shift = 0;
  for (; at < lines.size() && shift < 63; ++at) {
    for (const std::uint64_t byte : bytes_of_row(lines[at])) {
      value |= (byte & 0x7F) << shift;
      shift += 7;
      if ((byte & 0x80) == 0) return value;
    }
    if (bytes_of_row(lines[at]).empty()) return std::nullopt;
  }
  return std::nullopt;
}

/// The debugger's tables say of a variable in a frame: the address of the frame, plus a number.
FrameStarts starts_of_variables(std::string_view ptx) {
  constexpr std::uint64_t kAddress = 0x03,
                          kPlus = 0x23;  // DW_OP_addr, DW_OP_plus_uconst
  FrameStarts frames;
  const auto lines = lines_of(ptx);
  for (std::size_t i = 1; i + 2 < lines.size(); ++i) {
    std::string_view name = trimmed(lines[i]);
    if (!name.starts_with(".b64")) continue;
    name = trimmed(name.substr(4));
    if (!name.starts_with(kFramePrefix) || !is_row_of(lines[i - 1], kAddress)) continue;
    if (!is_row_of(lines[i + 1], kPlus)) continue;
    if (const auto start = leb128_at(lines, i + 2)) frames[std::string(name)].push_back(*start);
  }
  for (auto& [name, starts] : frames) {
    std::sort(starts.begin(), starts.end());
    starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  }
  return frames;
}

/// What a register holds, as far as all of its assignments agree.
struct Origin {
  enum class Kind : std::uint8_t { unset, number, variable, mixed };
  Kind kind = Kind::unset;
  std::uint64_t start = 0;  ///< of the variable

  bool operator==(const Origin&) const = default;
};
using Kind = Origin::Kind;

Origin joined(const Origin& a, const Origin& b) {
  if (a.kind == Kind::unset || a == b) return b;
  return b.kind == Kind::unset ? a : Origin{Kind::mixed};
}

/// Of a sum: an address and a number are an address in the same variable.
Origin sum_of(const Origin& a, const Origin& b) {
  if (a.kind == Kind::unset || b.kind == Kind::unset) return {};
  if (a.kind == Kind::number) return b;
  return b.kind == Kind::number ? a : Origin{Kind::mixed};
}

/// Of a difference: a number cannot have an address taken from it, nor two be told apart.
Origin difference_of(const Origin& a, const Origin& b) {
  if (a.kind == Kind::unset || b.kind == Kind::unset) return {};
  return b.kind == Kind::number ? a : Origin{Kind::mixed};
}

bool is_frame_pointer(std::string_view name) { return name == "%SP" || name == "%SPL"; }

/// The registers of one function.
class Registers {
 public:
  explicit Registers(const Bytes& starts) : starts_(starts) {}

  /// Walks over all assignments until nothing changes: registers go down from unset to mixed.
  void follow(const ptx::Function& function) {
    for (const ptx::Statement& statement : function.body)
      for (const std::string_view name : assigned_by(statement)) origins_[name] = {};
    do {
      changed_ = false;
      for (const ptx::Statement& statement : function.body) assign(statement);
    } while (changed_);
  }

  [[nodiscard]] Origin of(const ptx::Operand& operand) const {
    if (operand.kind == ptx::Operand::Kind::integer || operand.kind == ptx::Operand::Kind::real)
      return {Kind::number};
    if (operand.kind != ptx::Operand::Kind::name || is_frame_pointer(operand.name))
      return {Kind::mixed};
    const auto found = origins_.find(operand.name);
    // What is never assigned is a special register, or the address of something else.
    return found == origins_.end() ? Origin{Kind::number} : found->second;
  }

  [[nodiscard]] Origin of_address(const ptx::Operand& operand) const {
    const auto found = origins_.find(operand.name);
    return found == origins_.end() ? Origin{} : found->second;
  }

 private:
  static std::vector<std::string_view> assigned_by(const ptx::Statement& statement) {
    if (statement.kind != ptx::Statement::Kind::instruction || statement.ins.operands.empty())
      return {};
    const ptx::Operand& to = statement.ins.operands.front();
    if (to.kind == ptx::Operand::Kind::name) return {to.name};
    std::vector<std::string_view> names;
    for (const ptx::Operand& one : to.list) names.push_back(one.name);
    return names;
  }

  /// Several registers at once are loaded or come out of a call.
  void assign(const ptx::Statement& statement) {
    const auto names = assigned_by(statement);
    for (const std::string_view name : names)
      lower(name, names.size() == 1 ? value_of(statement.ins) : Origin{Kind::number});
  }

  Origin value_of(const ptx::Instruction& ins) const {
    const auto& from = ins.operands;
    const std::string_view op = ins.parts.front();
    if (op == "add" && from.size() == 3) {
      if (is_frame_pointer(from[1].name)) return at_start(from[2]);
      return sum_of(of(from[1]), of(from[2]));
    }
    if (op == "sub" && from.size() == 3) return difference_of(of(from[1]), of(from[2]));
    if ((op == "mov" || op == "cvta") && from.size() == 2) return of(from[1]);
    if (op == "selp" && from.size() == 4) return joined(of(from[1]), of(from[2]));
    if (op == "mad" && from.size() == 4) return sum_of(made_of(from, 3), of(from[3]));
    return made_of(from, from.size());
  }

  /// The address of a variable; that of a place within one is computed from it.
  Origin at_start(const ptx::Operand& offset) const {
    const bool known = offset.kind == ptx::Operand::Kind::integer &&
                       std::binary_search(starts_.begin(), starts_.end(), offset.bits);
    return known ? Origin{Kind::variable, offset.bits} : Origin{Kind::mixed};
  }

  /// Of an operation that makes numbers of numbers, and of addresses nothing that can be told.
  Origin made_of(const std::vector<ptx::Operand>& from, std::size_t count) const {
    Origin all{Kind::number};
    for (std::size_t i = 1; i < count; ++i) {
      if (from[i].kind == ptx::Operand::Kind::address) continue;  // what memory holds
      const Origin one = of(from[i]);
      if (one.kind == Kind::unset) return {};
      if (one.kind != Kind::number) all = {Kind::mixed};
    }
    return all;
  }

  void lower(std::string_view name, const Origin& value) {
    Origin& origin = origins_[name];
    const Origin next = joined(origin, value);
    if (next == origin) return;
    origin = next;
    changed_ = true;
  }

  const Bytes& starts_;
  std::map<std::string_view, Origin> origins_;
  bool changed_ = false;
};

/// Bytes of an access by its type and number of elements; 0: not one that we know.
std::uint64_t width_of(const ptx::Instruction& ins) {
  std::uint64_t bytes = 0, count = 1;
  for (const std::string_view part : ins.parts) {
    if (part == "v2") count = 2;
    if (part == "v4") count = 4;
    if (part.size() < 2 || std::string_view("bsuf").find(part[0]) == std::string_view::npos)
      continue;
    unsigned bits = 0;
    const auto [end, error] = std::from_chars(part.data() + 1, part.data() + part.size(), bits);
    if (error == std::errc{} && end == part.data() + part.size()) bytes = bits / 8;
  }
  return bytes * count;
}

bool is_access(const ptx::Instruction& ins) {
  constexpr std::array<std::string_view, 4> kOps = {"ld", "st", "atom", "red"};
  constexpr std::array<std::string_view, 4> kElsewhere = {"param", "shared", "global", "const"};
  const auto has = [&](std::string_view word) {
    return std::find(ins.parts.begin(), ins.parts.end(), word) != ins.parts.end();
  };
  return std::find(kOps.begin(), kOps.end(), ins.parts.front()) != kOps.end() &&
         std::none_of(kElsewhere.begin(), kElsewhere.end(), has);
}

const ptx::Operand* address_of(const ptx::Instruction& ins) {
  for (const ptx::Operand& operand : ins.operands)
    if (operand.kind == ptx::Operand::Kind::address && !operand.name.empty()) return &operand;
  return nullptr;
}

/// One function with a frame: what to add before which of the text's lines.
class FrameChecks {
 public:
  FrameChecks(const ptx::Function& function, const ptx::Statement& frame, const Bytes& starts,
              std::map<std::uint32_t, std::string>& added)
      : frame_(frame.var), starts_(starts), registers_(starts), added_(added) {
    registers_.follow(function);
    for (const ptx::Statement& statement : function.body) ++on_line_[statement.ptx_line];
    for (const ptx::Statement& statement : function.body)
      if (statement.kind == ptx::Statement::Kind::instruction) check(statement);
    if (any_) added_[frame.ptx_line] = "\t.reg .b64 %ww_at;\n\t.reg .pred %ww_past;\n";
  }

 private:
  void check(const ptx::Statement& statement) {
    const ptx::Instruction& ins = statement.ins;
    const ptx::Operand* address = is_access(ins) ? address_of(ins) : nullptr;
    const std::uint64_t width = width_of(ins);
    // Inline assembly may share a line with other statements.
    if (address == nullptr || width == 0 || on_line_[statement.ptx_line] != 1) return;
    const Origin origin = registers_.of_address(*address);
    if (origin.kind != Kind::variable) return;
    const auto next = std::upper_bound(starts_.begin(), starts_.end(), origin.start);
    const std::uint64_t end = next == starts_.end() ? frame_.size_bytes : *next;
    if (origin.start >= end) return;
    const bool local = std::find(ins.parts.begin(), ins.parts.end(), "local") != ins.parts.end();
    std::string& text = added_[statement.ptx_line];
    text += fmt::format("\tsub.s64 %ww_at, {}, {};\n", address->name, local ? "%SPL" : "%SP");
    text += fmt::format("\tadd.s64 %ww_at, %ww_at, {};\n",
                        static_cast<std::int64_t>(address->bits - origin.start));
    text += past(end - origin.start, width, ins);
    text += "\t@%ww_past trap;\n";
    any_ = true;
  }

  /// Whether an access at %ww_at leaves the variable, or begins before it: then it is huge.
  static std::string past(std::uint64_t size, std::uint64_t width, const ptx::Instruction& ins) {
    const std::uint64_t first_past = size >= width ? size - width + 1 : 0;
    if (ins.guard.empty()) return fmt::format("\tsetp.ge.u64 %ww_past, %ww_at, {};\n", first_past);
    return fmt::format("\tsetp.ge.and.u64 %ww_past, %ww_at, {}, {}{};\n", first_past,
                       ins.guard_negated ? "!" : "", ins.guard);
  }

  const ptx::Variable& frame_;
  const Bytes& starts_;
  Registers registers_;
  std::map<std::uint32_t, std::string>& added_;
  std::map<std::uint32_t, int> on_line_;
  bool any_ = false;
};

/// The function's frame of local variables.
const ptx::Statement* frame_of(const ptx::Function& function) {
  for (const ptx::Statement& statement : function.body) {
    if (statement.kind == ptx::Statement::Kind::variable &&
        statement.var.space == ptx::Space::local && statement.var.name.starts_with(kFramePrefix))
      return &statement;
  }
  return nullptr;
}

/// Debuggers read from here on.
bool begins_tables(std::string_view line) { return trimmed(line).starts_with(".section"); }

}  // namespace

Result<std::string> with_local_ends(std::string_view debug_ptx) {
  const FrameStarts frames = starts_of_variables(debug_ptx);
  WW_TRY(const ptx::Ast ast, ptx::parse_ptx(debug_ptx));
  std::map<std::uint32_t, std::string> added;
  for (const ptx::Function& function : ast.functions) {
    const ptx::Statement* frame = frame_of(function);
    if (frame == nullptr) continue;
    const auto starts = frames.find(frame->var.name);
    if (starts != frames.end()) FrameChecks(function, *frame, starts->second, added);
  }
  if (added.empty()) return std::string();
  std::string text;
  std::uint32_t number = 0;
  for (const std::string_view line : lines_of(debug_ptx)) {
    if (begins_tables(line)) break;
    if (const auto found = added.find(++number); found != added.end()) text += found->second;
    text.append(line).append("\n");
  }
  return text;
}

}  // namespace warpwright::build
