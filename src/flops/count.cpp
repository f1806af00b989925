// SPDX-License-Identifier: Apache-2.0
#include "flops/count.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "base/text.h"
#include "flops/folding.h"
#include "flops/signs.h"
#include "flops/special_operands.h"

namespace warpwright::flop {

namespace {

/// "__nv_expf" of what a call's lines say.
std::string_view library_function(std::string_view text) {
  const std::size_t at = text.find("__nv_");
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at);
  return rest.substr(0, rest.find_first_of(" \t,;()\n"));
}

}  // namespace

std::string_view name_of(Confidence confidence) {
  switch (confidence) {
    case Confidence::exact:
      return "exact";
    case Confidence::sampled:
      return "sampled";
    case Confidence::bounded:
      return "bounded";
  }
  return "";
}

CostTable::CostTable(std::string_view ptx) {
  const std::vector<std::string_view> lines = lines_of(ptx);
  const std::unordered_set<std::uint32_t> signs = signs_that_cost(lines);
  const std::unordered_set<std::uint32_t> folded = folded_lines(lines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view opcode = opcode_in(lines[i]);
    if (opcode.empty() || folded.contains(static_cast<std::uint32_t>(i + 1))) continue;
    Row row;
    row.opcode = opcode;
    if (opcode == "call" || opcode.starts_with("call.")) {
      // A call goes on for some lines, up to a semicolon.
      for (std::size_t k = i; k < std::min(i + 8, lines.size()); ++k) {
        if (const std::string_view name = library_function(lines[k]); !name.empty()) {
          row.opcode = name;
          row.cost = call_cost(name);
        }
        if (lines[k].find(';') != std::string_view::npos) break;
      }
    } else {
      row.cost = opcode == "mov.b32" ? mark_cost(lines[i]) : cost_of(opcode);
      row.bytes = bytes_of(opcode);
      if (signs.contains(static_cast<std::uint32_t>(i + 1))) {
        row.cost.implicit = "sign";
        (opcode.ends_with("f64") ? row.cost.flops.dp : row.cost.flops.sp) = 1;
      }
    }
    if (row.cost.flops == Flops{} && row.bytes == 0) continue;
    rows_.emplace(static_cast<std::uint32_t>(i + 1), row);
  }
}

const CostTable::Row* CostTable::row(std::uint32_t ptx_line) const {
  const auto it = rows_.find(ptx_line);
  return it == rows_.end() ? nullptr : &it->second;
}

void Tally::add(const Tally& other, double times) {
  flops += other.flops * times;
  bytes += other.bytes * times;
  warps += static_cast<std::uint64_t>(static_cast<double>(other.warps) * times);
  for (const auto& [name, part] : other.opcodes) {
    PartCount& sum = opcodes[name];
    sum.name = name;
    sum.implicit = part.implicit;
    sum.lanes += static_cast<std::uint64_t>(static_cast<double>(part.lanes) * times);
    sum.flops += part.flops * times;
  }
}

Tally tally_of(const simt::LaunchReport& report, const CostTable& table) {
  Tally tally;
  for (const simt::LineCount& each : report.lines) {
    tally.warps += each.warps;
    const CostTable::Row* row = table.row(each.ptx_line);
    if (row == nullptr) continue;
    tally.bytes += static_cast<double>(row->bytes) * static_cast<double>(each.lanes);
    const Flops flops = row->cost.flops * static_cast<double>(each.lanes);
    tally.flops += flops;
    if (flops == Flops{}) continue;
    PartCount& part = tally.opcodes[std::string(row->opcode)];
    part.name = row->opcode;
    part.implicit = row->cost.implicit;
    part.lanes += each.lanes;
    part.flops += flops;
  }
  return tally;
}

std::string without_lines(std::string_view ptx) {
  std::string text(ptx);
  constexpr std::string_view kLoc = ".loc";
  for (std::size_t at = text.find(kLoc); at != std::string::npos; at = text.find(kLoc, at + 1)) {
    const std::size_t line = text.find_last_of('\n', at) + 1;
    const std::size_t end = at + kLoc.size();
    const bool whole = end < text.size() && (text[end] == ' ' || text[end] == '\t');
    if (whole && text.find_first_not_of(" \t", line) == at) text.replace(at, 2, "//");
  }
  return text;
}

std::string signature_of(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text != nullptr ? std::string(text.get()) : mangled;
}

std::string plain_name(std::string_view signature) {
  // The parameters begin at the last parenthesis that is open on the outside.
  int depth = 0;
  std::size_t end = signature.size();
  for (std::size_t i = 0; i < signature.size(); ++i) {
    const char c = signature[i];
    if (c == '<') ++depth;
    if (c == '>' && depth > 0) --depth;
    if (c == '(' && depth == 0 && !signature.substr(i).starts_with("(anonymous namespace)")) {
      end = i;
      break;
    }
  }
  std::string name;
  depth = 0;
  for (const char c : signature.substr(0, end)) {
    if (c == '<') ++depth;
    if (depth == 0) name += c;
    if (c == '>' && depth > 0) --depth;
  }
  const std::size_t place = name.find_last_of(" :");
  return place == std::string::npos ? name : name.substr(place + 1);
}

}  // namespace warpwright::flop
