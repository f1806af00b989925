// SPDX-License-Identifier: Apache-2.0
#include "sass/latency.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"

namespace warpwright::sass {

namespace {

constexpr std::string_view kRelations = "rpguqwaif";

bool is_matrix(const Instruction& instruction) {
  return instruction.base_opcode().ends_with("MMA");
}

/// Later registers of a wide result may be there later than its first.
std::string result_name(const Instruction& producer, std::size_t index) {
  std::size_t first = index;
  while (first > 0 && bank_of(first - 1) == bank_of(index) && producer.defs.test(first - 1))
    --first;
  return first == index ? producer.opcode : producer.opcode + "+1";
}

/// Where an instruction's fields say that operands begin. A memory instruction has its address in
/// the first field and what it stores in the second.
std::array<int, 3> operand_starts(const Instruction& instruction) {
  if (!uses_memory_pipe(instruction)) return source_slots(instruction);
  const auto field = [&](int at) { return static_cast<int>(instruction.words.low >> at & 255); };
  return {field(24), instruction.base_opcode().starts_with("LD") ? 255 : field(32), 255};
}

/// A later register of a wide operand: addends, addresses, numbers of 64 bits, stored data. Its
/// reads come later than those of the first one.
bool is_upper(const Instruction& consumer, std::size_t index, const std::array<int, 3>& starts) {
  if (index == 0 || bank_of(index - 1) != bank_of(index) || !consumer.uses.test(index - 1))
    return false;
  // Fields of uniform registers are not known; pairs of them begin at even numbers.
  if (bank_of(index) == Bank::uniform)
    return (index - kBankStart[static_cast<int>(Bank::uniform)]) % 2 == 1;
  return std::find(starts.begin(), starts.end(), static_cast<int>(index)) == starts.end();
}

/// Each operand that is read at a time of its own has a name of its own, or the minimum of one
/// would be taken for that of another: slots of matrix instructions, the addend of a wide product,
/// and later registers of all.
std::string source_name(const Instruction& consumer, std::size_t index) {
  const Bank bank = bank_of(index);
  if (bank != Bank::general && bank != Bank::uniform) return consumer.opcode;
  const auto starts = operand_starts(consumer);
  std::string name = consumer.opcode;
  const bool wide = name.find(".WIDE") != std::string::npos;
  if (bank == Bank::general && is_matrix(consumer)) {
    int nearest = -1;
    char slot = '?';
    for (std::size_t i = 0; i < starts.size(); ++i) {
      if (starts[i] == 255 || starts[i] > static_cast<int>(index) || starts[i] < nearest) continue;
      nearest = starts[i];
      slot = static_cast<char>('A' + static_cast<int>(i));
    }
    name += std::string(":") + slot;
  } else if (bank == Bank::general && wide && starts[2] == static_cast<int>(index) &&
             starts[0] != starts[2] && starts[1] != starts[2]) {
    name += ":C";
  }
  return is_upper(consumer, index, starts) ? name + ":H" : name;
}

Relation relation_of(const Instruction& consumer, std::size_t index) {
  switch (bank_of(index)) {
    case Bank::general:
      return Relation::general;
    case Bank::uniform:
      return Relation::uniform;
    case Bank::uniform_predicate:
      return Relation::uniform_predicate;
    case Bank::predicate:
      break;
  }
  return consumer.guard && consumer.guard->predicate == index ? Relation::guard
                                                              : Relation::predicate;
}

std::vector<std::string_view> words_in(std::string_view line) {
  std::vector<std::string_view> words;
  for (line = trimmed(line); !line.empty();) {
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    words.push_back(line.substr(0, end));
    line = trimmed(line.substr(end));
  }
  return words;
}

template <class Number>
bool read_number(std::string_view text, Number& value) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

}  // namespace

PairName read_name(const Instruction& producer, const Instruction& consumer, std::size_t index) {
  return {relation_of(consumer, index), result_name(producer, index), source_name(consumer, index)};
}

PairName overwrite_name(const Instruction& producer, const Instruction& consumer,
                        std::size_t index) {
  return {Relation::overwrite, result_name(producer, index), result_name(consumer, index)};
}

PairName after_read_name(const Instruction& reader, const Instruction& writer, std::size_t index) {
  return {Relation::after_read, source_name(reader, index), std::string(writer.base_opcode())};
}

PairName issue_name(const Instruction& first, const Instruction& second) {
  return {Relation::issue, std::string(first.base_opcode()), std::string(second.base_opcode())};
}

void LatencyTable::observe(Relation relation, const std::string& producer,
                           const std::string& consumer, int cycles, std::uint64_t times,
                           std::uint64_t met) {
  Latency& row = rows_[{static_cast<char>(relation), producer, consumer}];
  if (row.seen == 0 || cycles < row.cycles) {
    row.cycles = cycles;
    row.at_least = 0;
  }
  if (cycles == row.cycles) row.at_least += met;
  row.seen += times;
}

void LatencyTable::merge(const LatencyTable& other) {
  for (const auto& [key, row] : other.rows_)
    observe(static_cast<Relation>(key.relation), key.producer, key.consumer, row.cycles, row.seen,
            row.at_least);
}

void LatencyTable::prune() {
  std::erase_if(rows_, [](const auto& row) {
    const auto& [key, latency] = row;
    // Guards that exclude each other are not always seen, so a rare overwrite may be none.
    const bool rare = key.relation == static_cast<char>(Relation::overwrite) &&
                      key.consumer != kAny && latency.at_least < kTight;
    return latency.seen < kEnough || rare;
  });
}

std::optional<int> LatencyTable::find(Relation relation, const std::string& producer,
                                      const std::string& consumer) const {
  const auto row = rows_.find({static_cast<char>(relation), producer, consumer});
  if (row == rows_.end() || row->second.seen < kEnough) return std::nullopt;
  return row->second.cycles;
}

std::optional<int> LatencyTable::kept(Relation relation, const std::string& producer,
                                      const std::string& consumer) const {
  const auto tight = [&](const std::string& name) -> std::optional<int> {
    const auto row = rows_.find({static_cast<char>(relation), producer, name});
    if (row == rows_.end() || row->second.seen < kEnough || row->second.at_least < kTight)
      return std::nullopt;
    const bool certain = row->second.at_least >= kVeryTight;
    return certain ? row->second.cycles : std::min(row->second.cycles, kFastest);
  };
  const auto pair = tight(consumer), any = tight(std::string(kAny));
  // No consumer of a result needs it much later than all others: a larger minimum is one program's
  // habit, seen in many of its copies.
  if (!pair && consumer.ends_with(":H")) return std::nullopt;
  std::optional<int> least = pair ? pair : any;
  if (pair && any) least = std::min(*pair, *any + kSlowestReader);
  if (const auto alike = least_of_comparisons(relation, producer, consumer); least && alike)
    least = std::min(*least, *alike);
  return least;
}

std::optional<int> LatencyTable::least_of_comparisons(Relation relation,
                                                      const std::string& producer,
                                                      const std::string& consumer) const {
  static constexpr auto kComparisons =
      std::to_array<std::string_view>({"ISETP", "FSETP", "DSETP", "HSETP2", "UISETP"});
  const std::string base = producer.substr(0, producer.find('.'));
  if (std::find(kComparisons.begin(), kComparisons.end(), base) == kComparisons.end())
    return std::nullopt;
  std::optional<int> least;
  const char letter = static_cast<char>(relation);
  for (auto row = rows_.lower_bound({letter, base, ""});
       row != rows_.end() && row->first.relation == letter && row->first.producer.starts_with(base);
       ++row) {
    const bool same_half = row->first.producer.ends_with("+1") == producer.ends_with("+1");
    if (row->first.consumer != consumer || !same_half || row->second.seen < kEnough) continue;
    least = std::min(least.value_or(row->second.cycles), row->second.cycles);
  }
  return least;
}

std::optional<int> LatencyTable::most_of(const std::string& producer) const {
  std::optional<int> most;
  for (const char relation : kRelations) {
    if (relation == 'a' || relation == 'i' || relation == 'f') continue;
    for (auto row = rows_.lower_bound({relation, producer, ""});
         row != rows_.end() && row->first.relation == relation && row->first.producer == producer;
         ++row)
      if (row->second.seen >= kEnough && row->first.consumer != kAny)
        most = std::max(most.value_or(0), row->second.cycles);
  }
  return most;
}

std::string LatencyTable::text() const {
  std::string text = "sm_" + std::to_string(architecture_) + "\n";
  for (const auto& [key, row] : rows_)
    text += std::string(1, key.relation) + " " + key.producer + " " + key.consumer + " " +
            std::to_string(row.cycles) + " " + std::to_string(row.seen) + " " +
            std::to_string(row.at_least) + "\n";
  return text;
}

Result<LatencyTable> LatencyTable::parse(std::string_view text) {
  LatencyTable table;
  std::size_t number = 0;
  for (const std::string_view line : lines_of(text)) {
    ++number;
    const auto words = words_in(line);
    if (words.empty() || words[0].starts_with('#')) continue;
    const Error wrong{
        "line " + std::to_string(number) +
        " of a table of latencies is not \"relation producer consumer cycles seen met\""};
    if (words.size() == 1 && words[0].starts_with("sm_")) {
      if (!read_number(words[0].substr(3), table.architecture_)) return wrong;
      continue;
    }
    int cycles = 0;
    std::uint64_t seen = 0, met = 0;
    if (words.size() != 6 || words[0].size() != 1 ||
        kRelations.find(words[0][0]) == std::string_view::npos || !read_number(words[3], cycles) ||
        !read_number(words[4], seen) || !read_number(words[5], met) || cycles < 0 || cycles > 1000)
      return wrong;
    table.observe(static_cast<Relation>(words[0][0]), std::string(words[1]), std::string(words[2]),
                  cycles, seen, met);
  }
  return table;
}

}  // namespace warpwright::sass
