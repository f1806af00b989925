// SPDX-License-Identifier: Apache-2.0
#include "sass/listing.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "base/text.h"
#include "sass/unlisted.h"

namespace warpwright::sass {

namespace {

constexpr std::size_t kMostInstructions = std::size_t{1} << 20;  // of a section

std::string at_line(std::size_t number, std::string_view what) {
  return "the listing of nvdisasm, line " + std::to_string(number + 1) + ": " + std::string(what);
}

std::optional<std::uint64_t> hex_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || text.empty())
    return std::nullopt;
  return value;
}

/// The banks of a table of live ranges, from its title "|  GPR  | PRED | UGPR | UPRED |"; those
/// that a function does not use are missing.
using Banks = std::vector<Bank>;

Banks banks_of(std::string_view row) {
  Banks banks;
  for (std::size_t at = row.find('|'); at != std::string_view::npos;) {
    const std::size_t end = row.find('|', at + 1);
    if (end == std::string_view::npos) break;
    const std::string_view name = trimmed(row.substr(at + 1, end - at - 1));
    at = end;
    if (name == "GPR") banks.push_back(Bank::general);
    if (name == "PRED") banks.push_back(Bank::predicate);
    if (name == "UGPR") banks.push_back(Bank::uniform);
    if (name == "UPRED") banks.push_back(Bank::uniform_predicate);
  }
  return banks;
}

/// Which register each column of a table of live ranges speaks of.
struct Columns {
  std::map<std::size_t, std::size_t> registers;  ///< column -> index in a RegisterSet
  std::vector<std::size_t> bars;                 ///< the columns before the banks
  bool known = false;
};

/// The header row "|  # 0 1 2 ... | # 0 1 | # 0 | # 0 |": a mark stands below a number's last
/// digit.
Columns columns_of(std::string_view row, const Banks& banks) {
  Columns columns;
  for (std::size_t at = 0; at < row.size(); ++at) {
    if (row[at] == '|') {
      columns.bars.push_back(at);
      continue;
    }
    if (columns.bars.empty() || columns.bars.size() > banks.size() || row[at] < '0' ||
        row[at] > '9')
      continue;
    const Bank bank = banks[columns.bars.size() - 1];
    std::size_t number = 0;
    std::size_t end = at;
    while (end < row.size() && row[end] >= '0' && row[end] <= '9' && number < 1000)
      number = number * 10 + static_cast<std::size_t>(row[end++] - '0');
    if (number < kBankSize[static_cast<int>(bank)])
      columns.registers[end - 1] = register_at(bank, number);
    at = end - 1;
  }
  columns.known = !banks.empty() && columns.bars.size() == banks.size() + 1;
  return columns;
}

/// "/*0010*/" at the beginning.
std::optional<std::uint64_t> take_offset(std::string_view& text) {
  if (!text.starts_with("/*")) return std::nullopt;
  const std::size_t end = text.find("*/");
  if (end == std::string_view::npos) return std::nullopt;
  const auto offset = hex_number(text.substr(2, end - 2));
  if (offset) text.remove_prefix(end + 2);
  return offset;
}

/// "/* 0x000fe40000000a00 */" at the end.
std::optional<std::uint64_t> take_word(std::string_view& text) {
  const std::size_t at = text.rfind("/* 0x");
  if (at == std::string_view::npos || !trimmed(text).ends_with("*/")) return std::nullopt;
  std::string_view inside = text.substr(at + 5);
  inside = trimmed(inside.substr(0, inside.find("*/")));
  const auto word = hex_number(inside);
  if (word) text = text.substr(0, at);
  return word;
}

std::optional<Guard> guard_of(std::string_view word) {
  word.remove_prefix(1);
  Guard guard;
  if (word.starts_with('!')) {
    guard.negated = true;
    word.remove_prefix(1);
  }
  Bank bank = Bank::predicate;
  if (word.starts_with('U')) {
    bank = Bank::uniform_predicate;
    word.remove_prefix(1);
  }
  if (word == "PT") {
    // Always: no guard. Never: the constant register stands for it.
    if (!guard.negated) return std::nullopt;
    guard.predicate = register_at(bank, kBankSize[static_cast<int>(bank)]);
    return guard;
  }
  if (word.size() != 2 || word[0] != 'P' || word[1] < '0' || word[1] > '6') return std::nullopt;
  guard.predicate = register_at(bank, static_cast<std::size_t>(word[1] - '0'));
  return guard;
}

void read_text(std::string_view text, Instruction& instruction) {
  text = trimmed(text);
  if (text.ends_with(';')) text = trimmed(text.substr(0, text.size() - 1));
  if (text.starts_with('@')) {
    const std::size_t space = std::min(text.find(' '), text.size());
    instruction.guard = guard_of(text.substr(0, space));
    text = trimmed(text.substr(space));
  }
  const std::size_t space = std::min(text.find(' '), text.size());
  instruction.opcode = text.substr(0, space);
  instruction.operands = trimmed(text.substr(space));
  instruction.shows_reuse = text.find(".reuse") != std::string_view::npos;
}

/// One pass over the lines; the parts are what a line can be.
class ListingParser {
 public:
  Result<std::vector<ListedSection>> parse(std::string_view text) {
    const auto lines = lines_of(text);
    for (std::size_t i = 0; i < lines.size(); ++i) WW_CHECK(take_line(i, lines[i]));
    if (half_) return Error{"the listing of nvdisasm ends within an instruction"};
    return std::move(sections_);
  }

 private:
  Status take_line(std::size_t number, std::string_view line) {
    std::string_view marks;
    // "// |" begins a row of the table, "// +" a rule across it.
    const std::size_t at = std::min(line.find("// |"), line.find("// +"));
    if (at != std::string_view::npos) {
      marks = line.substr(at + 3);
      line = line.substr(0, at);
    }
    const std::string_view text = trimmed(line);
    if (text.starts_with(".section\t") || text.starts_with(".section ")) return begin_section(text);
    if (sections_.empty()) return {};
    if (text.empty()) {
      // A narrow table has numbers as columns of digits; we ask for the wide one.
      if (marks.find("GPR") != std::string_view::npos) banks_ = banks_of(marks);
      if (marks.find('#') != std::string_view::npos) columns_ = columns_of(marks, banks_);
      return {};
    }
    if (text.starts_with("//##")) return take_source_line(text);
    if (text.ends_with(':')) return take_label(text.substr(0, text.size() - 1));
    return take_code(number, text, marks);
  }

  Status begin_section(std::string_view text) {
    const std::size_t at = text.find(".text.");
    in_code_ = at != std::string_view::npos;
    columns_ = {};
    banks_ = {};
    line_ = 0;
    if (half_) return Error{"the listing of nvdisasm ends within an instruction"};
    if (!in_code_) return {};
    std::string_view name = text.substr(at + 6);
    name = name.substr(0, std::min(name.find(",\""), name.size()));
    if (name.ends_with('"')) name.remove_suffix(1);
    sections_.push_back({.name = std::string(name)});
    return {};
  }

  Status take_label(std::string_view name) {
    if (in_code_ && name.find(' ') == std::string_view::npos)
      sections_.back().labels.emplace(name, sections_.back().code.size());
    return {};
  }

  /// "//## File "/a/b.cu", line 12"
  Status take_source_line(std::string_view text) {
    const std::size_t at = text.find("\", line ");
    if (at == std::string_view::npos) return {};
    const std::string_view digits = text.substr(at + 8);
    int value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    line_ = value;
    return {};
  }

  Status take_code(std::size_t number, std::string_view text, std::string_view marks) {
    if (!in_code_) return {};
    const auto offset = take_offset(text);
    const bool second = half_ && !offset && text.starts_with("/* 0x");
    if (!offset && !second) return {};  // a directive
    const auto word = take_word(text);
    if (!word) return Error{at_line(number, "an instruction without its encoding; use -hex")};
    auto& code = sections_.back().code;
    if (second) {
      code.back().words.high = *word;
      half_ = false;
      return take_marks(number, marks, code.back());
    }
    if (half_) return Error{at_line(number, "the second half of an instruction is missing")};
    if (code.size() >= kMostInstructions) return Error{at_line(number, "too many instructions")};
    if (*offset != code.size() * 16)
      return Error{at_line(number, "an instruction is not where it was expected")};
    Instruction& instruction = code.emplace_back();
    instruction.offset = *offset;
    instruction.words.low = *word;
    instruction.line = line_;
    read_text(text, instruction);
    if (instruction.opcode.empty()) return Error{at_line(number, "an instruction without a name")};
    half_ = true;
    return {};
  }

  Status take_marks(std::size_t number, std::string_view marks, Instruction& instruction) {
    if (!columns_.known || marks.empty())
      return Error{at_line(number, "no table of live registers; use -plr")};
    for (std::size_t bank = 0; bank < banks_.size(); ++bank) take_live(marks, bank, instruction);
    for (const auto& [column, index] : columns_.registers) {
      if (column >= marks.size()) break;
      const char mark = marks[column];
      if (mark == '^' || mark == 'x') instruction.defs.set(index);
      if (mark == 'v' || mark == 'x') instruction.uses.set(index);
    }
    add_unlisted_registers(instruction);
    return {};
  }

  void take_live(std::string_view marks, std::size_t bank, Instruction& instruction) const {
    const std::size_t at = columns_.bars[bank] + 1;
    if (at >= marks.size()) return;
    const std::string_view count = trimmed(marks.substr(at, 4));
    int value = 0;
    std::from_chars(count.data(), count.data() + count.size(), value);
    instruction.live[static_cast<std::size_t>(banks_[bank])] = value;
  }

  std::vector<ListedSection> sections_;
  Columns columns_;
  Banks banks_;
  bool in_code_ = false;
  bool half_ = false;  ///< the first line of an instruction was read
  int line_ = 0;
};

}  // namespace

Result<std::vector<ListedSection>> parse_listing(std::string_view text) {
  return ListingParser().parse(text);
}

}  // namespace warpwright::sass
