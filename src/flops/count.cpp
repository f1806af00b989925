// SPDX-License-Identifier: Apache-2.0
#include "flops/count.h"

#include <cxxabi.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <map>
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
  std::unordered_set<std::uint32_t> folded = folded_lines(lines);
  folded.merge(marked_operations(lines));
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
  divergent += other.divergent;
  for (const auto& [line, count] : other.lanes) lanes[line] += count * times;
}

Tally tally_of(const simt::LaunchReport& report, const CostTable& table) {
  Tally tally;
  tally.divergent = report.counts.divergent_branches;
  for (const simt::LineCount& each : report.lines) {
    tally.warps += each.warps;
    const CostTable::Row* row = table.row(each.ptx_line);
    if (row == nullptr) continue;
    const auto lanes = static_cast<double>(each.lanes);
    tally.bytes += static_cast<double>(row->bytes) * lanes;
    tally.flops += row->cost.flops * lanes;
    tally.lanes[each.ptx_line] += lanes;
  }
  return tally;
}

Places places_in(const ptx::Ast& ast) {
  Places places;
  for (const ptx::Function& function : ast.functions) {
    for (const ptx::Statement& each : function.body) {
      if (each.kind != ptx::Statement::Kind::instruction || each.source.line == 0) continue;
      const std::string file =
          each.source.file < ast.files.size() ? ast.files[each.source.file] : "";
      const std::size_t slash = file.find_last_of('/');
      places[each.ptx_line] = (slash == std::string::npos ? file : file.substr(slash + 1)) + ":" +
                              std::to_string(each.source.line);
    }
  }
  return places;
}

namespace {

using Parts = std::map<std::string, PartCount, std::less<>>;

void add_part(Parts& parts, const std::string& name, const CostTable::Row& row, double lanes) {
  PartCount& part = parts[name];
  part.name = name;
  if (!row.cost.implicit.empty()) part.implicit = row.cost.implicit;
  part.lanes += static_cast<std::uint64_t>(std::llround(lanes));
  part.flops += row.cost.flops * lanes;
  part.bytes += static_cast<double>(row.bytes) * lanes;
}

std::vector<PartCount> most_first(const Parts& parts) {
  std::vector<PartCount> sorted;
  for (const auto& [name, part] : parts) sorted.push_back(part);
  std::stable_sort(sorted.begin(), sorted.end(), [](const PartCount& a, const PartCount& b) {
    return a.flops.total() > b.flops.total();
  });
  return sorted;
}

}  // namespace

void split(const Tally& tally, const CostTable& table, const Places& places, LaunchCount& count) {
  Parts opcodes, lines, implicit;
  for (const auto& [line, lanes] : tally.lanes) {
    const CostTable::Row* row = table.row(line);
    if (row == nullptr || lanes == 0) continue;
    const bool computes = !(row->cost.flops == Flops{});
    if (computes) add_part(opcodes, std::string(row->opcode), *row, lanes);
    if (computes && !row->cost.implicit.empty())
      add_part(implicit, std::string(row->cost.implicit), *row, lanes);
    if (const auto place = places.find(line); place != places.end())
      add_part(lines, place->second, *row, lanes);
  }
  count.opcodes = most_first(opcodes);
  count.lines = most_first(lines);
  count.implicit = most_first(implicit);
  count.diverges = tally.divergent != 0;
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

namespace {

/// The last name in a mangled one that nobody could take apart: "block_stride" of
/// "_Z12block_strideI...". Empty for other texts.
std::string last_mangled_name(std::string_view text) {
  if (!text.starts_with("_Z")) return {};
  text.remove_prefix(2);
  if (text.starts_with("N")) text.remove_prefix(1);
  std::string_view last;
  while (!text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) != 0) {
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (error != std::errc{} || length == 0 || length > text.size()) break;
    last = text.substr(0, length);
    text.remove_prefix(length);
  }
  return std::string(last);
}

}  // namespace

std::string plain_name(std::string_view signature) {
  if (std::string mangled = last_mangled_name(signature); !mangled.empty()) return mangled;
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
