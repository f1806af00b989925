// SPDX-License-Identifier: Apache-2.0
#include "sass/program.h"

#include <algorithm>
#include <cctype>

#include "sass/listing.h"

namespace warpwright::sass {

namespace {

constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

/// All labels that an instruction's text names, as numbers of instructions.
std::vector<std::size_t> targets_of(const Instruction& instruction, const Function& function) {
  std::vector<std::size_t> targets;
  const std::string& text = instruction.operands;
  for (std::size_t at = text.find('.'); at != std::string::npos; at = text.find('.', at + 1)) {
    std::size_t end = at + 1;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 ||
                                 text[end] == '_' || text[end] == '$'))
      ++end;
    const auto label = function.labels.find(text.substr(at, end - at));
    if (label != function.labels.end()) targets.push_back(label->second);
  }
  return targets;
}

std::string barrier_register(const Instruction& instruction) {
  return instruction.operands.substr(0, instruction.operands.find_first_of(", "));
}

/// Where control goes from an instruction that transfers it.
struct Exits {
  std::vector<std::size_t> targets;
  bool falls_through = true;
  bool falls_unknown = false;  ///< what runs before the next instruction is not known
  bool unknown = false;        ///< may go to any label
};

Exits exits_of(const Function& function, std::size_t at,
               const std::multimap<std::string, std::size_t>& joins) {
  const Instruction& instruction = function.code[at];
  const std::string_view base = instruction.base_opcode();
  const bool always = !instruction.guard;
  Exits exits;
  if (base == "BRA" || base == "JMP") {
    exits.targets = targets_of(instruction, function);
    exits.unknown = exits.targets.empty();
    // "@P0 BRA !P1, L" and "BRA.DIV UR4, L" have a second condition.
    const bool plain = instruction.operands.starts_with('`');
    exits.falls_through = !always || !plain;
  } else if (base == "BRX" || base == "BRXU" || base == "JMX" || base == "JMXU") {
    exits.targets = targets_of(instruction, function);
    exits.unknown = exits.targets.empty();
    exits.falls_through = !always;
  } else if (base == "EXIT" || base == "RET" || base == "KILL" || base == "RTT") {
    exits.falls_through = !always;
  } else if (base == "CALL") {
    exits.falls_unknown = true;
  } else if (base == "BSYNC") {
    // Threads go on where their BSSY said: mostly right behind this instruction.
    const auto [from, to] = joins.equal_range(barrier_register(instruction));
    for (auto join = from; join != to; ++join) {
      exits.targets.push_back(join->second);
      if (join->second != at + 1) continue;
      exits.targets.clear();
      break;
    }
  }
  return exits;
}

std::set<std::size_t> leaders_of(const Function& function) {
  std::set<std::size_t> leaders{0};
  for (const auto& [name, at] : function.labels) leaders.insert(at);
  for (std::size_t i = 0; i < function.code.size(); ++i)
    if (transfers_control(function.code[i])) leaders.insert(i + 1);
  leaders.erase(leaders.lower_bound(function.code.size()), leaders.end());
  return leaders;
}

/// nvdisasm leaves out what fills a section up behind its last function.
Instruction padding(const Cubin& cubin, const CodeSection& section, std::size_t index) {
  Instruction instruction;
  instruction.offset = index * kWordBytes;
  instruction.words = cubin.words(section, index);
  instruction.opcode = "NOP";
  return instruction;
}

Status complete(const CodeSection& section, const Cubin& cubin, ListedSection& listed) {
  if (listed.code.size() > section.instructions())
    return Error{"nvdisasm listed more instructions of " + section.name + " than it has"};
  for (std::size_t i = 0; i < listed.code.size(); ++i)
    if (listed.code[i].words != cubin.words(section, i))
      return Error{"nvdisasm's listing of " + section.name + " is not of this file"};
  constexpr std::uint64_t kOpcodeBits = 0xfff, kNop = 0x918;
  while (listed.code.size() < section.instructions()) {
    listed.code.push_back(padding(cubin, section, listed.code.size()));
    if ((listed.code.back().words.low & kOpcodeBits) != kNop)
      return Error{"nvdisasm did not list all instructions of " + section.name};
  }
  return {};
}

}  // namespace

std::vector<Block> blocks_of(const Function& function) {
  std::vector<Block> blocks;
  if (function.code.empty()) return blocks;
  const auto leaders = leaders_of(function);
  std::vector<std::size_t> block_at(function.code.size() + 1, kNowhere);
  for (const std::size_t leader : leaders) {
    if (!blocks.empty()) blocks.back().end = leader;
    block_at[leader] = blocks.size();
    blocks.push_back({.first = leader, .end = function.code.size()});
  }
  std::multimap<std::string, std::size_t> joins;
  for (const Instruction& instruction : function.code) {
    if (instruction.base_opcode() == "BSSY")
      for (const std::size_t target : targets_of(instruction, function))
        joins.emplace(barrier_register(instruction), target);
  }
  bool anywhere = false;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    Block& block = blocks[b];
    const std::size_t last = block.end - 1;
    Exits exits;
    if (transfers_control(function.code[last])) exits = exits_of(function, last, joins);
    anywhere = anywhere || exits.unknown;
    for (const std::size_t target : exits.targets)
      if (target < function.code.size()) block.successors.push_back(block_at[target]);
    if (exits.falls_through && block.end < function.code.size()) {
      if (exits.falls_unknown) {
        blocks[block_at[block.end]].entered_unknown = true;
      } else {
        block.successors.push_back(block_at[block.end]);
      }
    }
  }
  // Functions behind the first one are called from somewhere, and a branch without a target in its
  // text may go to any label.
  for (const auto& [name, at] : function.labels) {
    if (at >= function.code.size()) continue;
    if (anywhere || (at > 0 && !name.starts_with(".L_")))
      blocks[block_at[at]].entered_unknown = true;
  }
  return blocks;
}

Result<Program> Program::join(Cubin cubin, std::string_view listing) {
  WW_TRY(auto listed, parse_listing(listing));
  Program program;
  for (const CodeSection& section : cubin.sections()) {
    const auto found = std::find_if(listed.begin(), listed.end(), [&](const ListedSection& each) {
      return each.name == section.name;
    });
    if (found == listed.end()) return Error{"nvdisasm did not list the code of " + section.name};
    WW_CHECK(complete(section, cubin, *found));
    Function function{.name = section.name,
                      .code = std::move(found->code),
                      .labels = std::move(found->labels),
                      .pinned = section.pinned()};
    function.blocks = blocks_of(function);
    program.functions_.push_back(std::move(function));
  }
  program.cubin_ = std::move(cubin);
  return program;
}

const Function* Program::function(std::string_view name) const {
  for (const Function& function : functions_)
    if (function.name == name) return &function;
  return nullptr;
}

std::string Program::bytes_with(const Function& changed) const {
  Cubin cubin = cubin_;
  for (const CodeSection& section : cubin_.sections()) {
    if (section.name != changed.name) continue;
    ASSERT(section.instructions() == changed.code.size(), "a function of another length");
    for (std::size_t i = 0; i < changed.code.size(); ++i) {
      const Instruction& instruction = changed.code[i];
      cubin.set_words(
          section, i,
          with_control(instruction.words, instruction.control(), instruction.shows_reuse));
    }
  }
  return cubin.bytes();
}

std::string Program::bytes() const {
  Cubin cubin = cubin_;
  for (std::size_t f = 0; f < functions_.size(); ++f) {
    const CodeSection& section = cubin_.sections()[f];
    for (std::size_t i = 0; i < functions_[f].code.size(); ++i) {
      const Instruction& instruction = functions_[f].code[i];
      cubin.set_words(
          section, i,
          with_control(instruction.words, instruction.control(), instruction.shows_reuse));
    }
  }
  return cubin.bytes();
}

}  // namespace warpwright::sass
