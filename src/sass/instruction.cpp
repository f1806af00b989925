// SPDX-License-Identifier: Apache-2.0
#include "sass/instruction.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace warpwright::sass {

namespace {

// Plain work on registers and memory. What is not here is a fence.
constexpr auto kMovable = std::to_array<std::string_view>(
    {"BFI",      "BFE",       "BMSK",    "BREV",      "CS2R",   "DADD",   "DFMA",   "DMMA",
     "DMNMX",    "DMUL",      "DSETP",   "F2F",       "F2FP",   "F2I",    "F2IP",   "FADD",
     "FCHK",     "FCMP",      "FFMA",    "FLO",       "FMNMX",  "FMUL",   "FRND",   "FSEL",
     "FSET",     "FSETP",     "FSWZADD", "HADD2",     "HFMA2",  "HMMA",   "HMNMX2", "HMUL2",
     "HSET2",    "HSETP2",    "I2F",     "I2FP",      "I2I",    "I2IP",   "IABS",   "IADD",
     "IADD3",    "IDP",       "IDP4A",   "IMAD",      "IMMA",   "BMMA",   "IMNMX",  "IMUL",
     "ISCADD",   "ISETP",     "LD",      "LDC",       "LDG",    "LDGSTS", "LDL",    "LDS",
     "LDSM",     "LEA",       "LOP",     "LOP3",      "MOV",    "MOVM",   "MUFU",   "P2R",
     "PLOP3",    "POPC",      "PRMT",    "PSETP",     "QSPC",   "R2P",    "R2UR",   "S2R",
     "S2UR",     "SEL",       "SGXT",    "SHF",       "SHL",    "SHR",    "ST",     "STG",
     "STL",      "STS",       "STSM",    "TEX",       "TLD",    "TLD4",   "TMML",   "TXD",
     "TXQ",      "UBMSK",     "UBREV",   "UF2FP",     "UFLO",   "UIADD3", "UIMAD",  "UISETP",
     "ULDC",     "ULEA",      "ULOP",    "ULOP3",     "UMOV",   "UP2UR",  "UPLOP3", "UPOPC",
     "UPRMT",    "UPSETP",    "UR2UP",   "USEL",      "USGXT",  "USHF",   "USHL",   "USHR",
     "VABSDIFF", "VABSDIFF4", "VIADD",   "VIADDMNMX", "VIMNMX", "VHMNMX", "VIMNMX3"});

constexpr auto kControl = std::to_array<std::string_view>(
    {"BRA", "BRX", "BRXU", "JMP", "JMX", "JMXU", "CALL", "RET", "EXIT", "BSYNC", "BREAK", "KILL",
     "BPT", "RTT", "WARPSYNC", "YIELD", "NANOSLEEP", "BSSY"});

template <class Table>
bool among(std::string_view word, const Table& table) {
  return std::find(table.begin(), table.end(), word) != table.end();
}

bool has_part(std::string_view opcode, std::string_view part) {
  for (std::size_t at = opcode.find('.'); at != std::string_view::npos;) {
    const std::size_t end = opcode.find('.', at + 1);
    if (opcode.substr(at + 1, end == std::string_view::npos ? end : end - at - 1) == part)
      return true;
    at = end;
  }
  return false;
}

/// Clocks and other counters: what is read depends on when.
bool reads_time(const Instruction& instruction) {
  for (const std::string_view name : {"SR_CLOCK", "SR_GLOBALTIMER", "SR_PM", "SR_GLOBALERR"})
    if (instruction.operands.find(name) != std::string::npos) return true;
  return false;
}

std::optional<int> number_after(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  int value = 0;
  const char* first = text.data() + prefix.size();
  const auto read = std::from_chars(first, text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr == first) return std::nullopt;
  return value;
}

void add_base_register(std::string_view word, MemoryOperand& operand) {
  const bool wide = word.find(".64") != std::string_view::npos;
  for (const auto& [prefix, bank] :
       {std::pair("UR", Bank::uniform), std::pair("R", Bank::general)}) {
    const auto number = number_after(word, prefix);
    if (!number) continue;
    for (std::size_t i = 0; i < (wide ? 2 : 1); ++i)
      if (const auto index = static_cast<std::size_t>(*number) + i;
          index < kBankSize[static_cast<int>(bank)])
        operand.registers.set(register_at(bank, index));
    return;
  }
}

/// "R2.64+0x10", "R3+UR4+-0x20", "UR5", "0x40": the last part may be a number.
MemoryOperand operand_of(std::string_view inside) {
  MemoryOperand operand;
  std::size_t at = 0;
  while (at <= inside.size()) {
    const std::size_t plus = std::min(inside.find('+', at), inside.size());
    std::string_view word = trimmed(inside.substr(at, plus - at));
    at = plus + 1;
    const bool negative = word.starts_with('-');
    if (negative) word.remove_prefix(1);
    if (word.starts_with("0x")) {
      std::int64_t value = 0;
      std::from_chars(word.data() + 2, word.data() + word.size(), value, 16);
      operand.offset += negative ? -value : value;
      continue;
    }
    if (word.empty() || word == "RZ" || word == "URZ") continue;
    if (!operand.base.empty()) operand.base += '+';
    operand.base += word;
    add_base_register(word, operand);
  }
  return operand;
}

/// The bracketed parts that are addresses: descriptors ("desc[UR4][R2.64]") are not.
std::vector<MemoryOperand> addresses_of(std::string_view operands) {
  std::vector<MemoryOperand> found;
  for (std::size_t at = operands.find('['); at != std::string_view::npos;
       at = operands.find('[', at + 1)) {
    const std::size_t end = operands.find(']', at);
    if (end == std::string_view::npos) break;
    const std::string_view before = operands.substr(0, at);
    const bool other = before.ends_with("desc") || before.ends_with("gdesc") ||
                       before.ends_with('c') || before.ends_with("]cx") || before.ends_with("cx");
    if (!other) found.push_back(operand_of(operands.substr(at + 1, end - at - 1)));
  }
  return found;
}

int access_bytes(std::string_view opcode) {
  if (opcode.starts_with("LDSM") || opcode.starts_with("STSM")) return 0;  // of other lanes, too
  if (has_part(opcode, "128")) return 16;
  if (has_part(opcode, "64")) return 8;
  if (has_part(opcode, "U16") || has_part(opcode, "S16")) return 2;
  if (has_part(opcode, "U8") || has_part(opcode, "S8")) return 1;
  return 4;
}

std::optional<MemoryOperand> pick(const std::vector<MemoryOperand>& from, std::size_t at) {
  if (at >= from.size()) return std::nullopt;
  return from[at];
}

}  // namespace

std::string register_name(std::size_t index) {
  static constexpr std::string_view kPrefix[] = {"R", "P", "UR", "UP"};
  const int bank = static_cast<int>(bank_of(index));
  return std::string(kPrefix[bank]) + std::to_string(index - kBankStart[bank]);
}

std::string names_of(const RegisterSet& registers) {
  std::string names;
  for_each_register(registers, [&](std::size_t index) {
    if (!names.empty()) names += ' ';
    names += register_name(index);
  });
  return names;
}

std::string_view Instruction::base_opcode() const {
  return std::string_view(opcode).substr(0, opcode.find('.'));
}

std::string Instruction::text() const {
  std::string said;
  if (guard)
    said = std::string(guard->negated ? "@!" : "@") + register_name(guard->predicate) + " ";
  said += opcode;
  if (!operands.empty()) said += " " + operands;
  return said;
}

bool exclusive(const Instruction& a, const Instruction& b) {
  return a.guard && b.guard && a.guard->predicate == b.guard->predicate &&
         a.guard->negated != b.guard->negated;
}

std::array<int, 3> source_slots(const Instruction& instruction) {
  const auto field = [](std::uint64_t word, int at) { return static_cast<int>(word >> at & 255); };
  const int a = field(instruction.words.low, 24), b = field(instruction.words.low, 32),
            c = field(instruction.words.high, 0);
  // Bits 9 to 11 say which operands are registers; a register that gives way to an immediate or a
  // constant takes the third field.
  switch (instruction.words.low >> 9 & 7) {
    case 1:
      return {a, b, c};
    case 4:
    case 5:
    case 6:
      return {a, 255, c};
    case 2:
    case 3:
    case 7:
      return {a, c, 255};
    default:
      return {a, 255, 255};
  }
}

bool may_move(const Instruction& instruction) {
  const bool never = instruction.guard && is_constant(instruction.guard->predicate);
  return among(instruction.base_opcode(), kMovable) && !reads_time(instruction) && !never &&
         !instruction.half_known;
}

bool transfers_control(const Instruction& instruction) {
  return among(instruction.base_opcode(), kControl);
}

bool uses_memory_pipe(const Instruction& instruction) {
  const std::string_view name = instruction.opcode;
  // Asked very often, mostly of something else.
  if (name.empty() || std::string_view("LSART").find(name[0]) == std::string_view::npos)
    return false;
  return name.starts_with("LD") || name.starts_with("ST") || name.starts_with("AT") ||
         name.starts_with("RED") || name.starts_with("TEX") || name.starts_with("TLD");
}

std::vector<MemoryAccess> memory_accesses(const Instruction& instruction) {
  using Space = MemoryAccess::Space;
  struct Row {
    std::string_view opcode;
    Space space;
    bool writes;
  };
  static constexpr Row kRows[] = {
      {"LDG", Space::global, false},  {"STG", Space::global, true},
      {"LDS", Space::shared, false},  {"LDSM", Space::shared, false},
      {"STS", Space::shared, true},   {"STSM", Space::shared, true},
      {"LDL", Space::local, false},   {"STL", Space::local, true},
      {"LD", Space::generic, false},  {"ST", Space::generic, true},
      {"TEX", Space::global, false},  {"TLD", Space::global, false},
      {"TLD4", Space::global, false}, {"TMML", Space::global, false},
      {"TXD", Space::global, false},  {"LDGSTS", Space::shared, true},
  };
  const std::string_view base = instruction.base_opcode();
  const Row* row = std::find_if(std::begin(kRows), std::end(kRows),
                                [&](const Row& each) { return each.opcode == base; });
  if (row == std::end(kRows)) return {};
  const auto addresses = addresses_of(instruction.operands);
  const bool strong = instruction.opcode.find(".STRONG") != std::string::npos ||
                      instruction.opcode.find(".MMIO") != std::string::npos;
  // Read-only data: the program promises that nobody writes it while the kernel runs.
  const bool constant = has_part(instruction.opcode, "CONSTANT");
  std::vector<MemoryAccess> accesses;
  if (!constant)
    accesses.push_back(
        {row->space, row->writes, strong, access_bytes(instruction.opcode), pick(addresses, 0)});
  if (base == "LDGSTS")
    accesses.push_back(
        {Space::global, false, strong, access_bytes(instruction.opcode), pick(addresses, 1)});
  return accesses;
}

}  // namespace warpwright::sass
