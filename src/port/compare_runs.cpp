// SPDX-License-Identifier: Apache-2.0
#include "port/compare_runs.h"

#include <algorithm>

namespace warpwright::port {

namespace {

// A wavefront of 64 takes half as many instructions as two warps; rules and compilers differ.
constexpr std::uint64_t kLeastWork = 4;

/// Kernels print in the order of their blocks and warps, which says nothing.
std::vector<std::string> sorted_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace

std::optional<std::string> run_difference(const flop::ExactRun& a, const flop::ExactRun& b,
                                          Tolerance tolerance) {
  if (a.exit.exit_code != b.exit.exit_code || a.exit.signal != b.exit.signal)
    return "it ends with " + b.exit.describe() + ", not with " + a.exit.describe() +
           (b.faults.empty() ? "" : ": " + b.faults.front());
  if (a.launches != b.launches)
    return "it launches " + std::to_string(b.launches) + " kernels instead of " +
           std::to_string(a.launches);
  if (b.warp_instructions < a.warp_instructions / kLeastWork)
    return "its kernels do less than a quarter of the work: " +
           std::to_string(b.warp_instructions) + " warp instructions instead of " +
           std::to_string(a.warp_instructions);
  if (auto found = difference(a.exit.out, b.exit.out, tolerance)) return "it prints " + *found;
  if (sorted_lines(a.printed) != sorted_lines(b.printed)) return "its kernels print something else";
  if (a.fetched.size() != b.fetched.size())
    return std::to_string(b.fetched.size()) + " copies to the host instead of " +
           std::to_string(a.fetched.size());
  for (std::size_t i = 0; i < a.fetched.size(); ++i) {
    const flop::Fetched &x = a.fetched[i], &y = b.fetched[i];
    if (x.digest == y.digest) continue;
    if (x.bytes != y.bytes || x.data.empty() || y.data.empty() ||
        !same_data(x.data, y.data, tolerance))
      return "other bytes in copy " + std::to_string(i + 1) + " to the host (" +
             std::to_string(x.bytes) + " bytes)";
  }
  return std::nullopt;
}

std::string crash_of(const flop::ExactRun& original) {
  if (original.exit.signal == 0) return {};
  return "crashes (" + original.exit.describe() +
         "), which shows nothing; give it other arguments with --run";
}

bool adds_in_any_order(const flop::BuiltProgram& program) {
  return std::any_of(program.ptx.begin(), program.ptx.end(), [](const std::string& ptx) {
    for (std::size_t at = ptx.find(".add"); at != std::string::npos;
         at = ptx.find(".add", at + 1)) {
      const std::size_t line = ptx.rfind('\n', at) + 1;
      const std::string_view text(ptx.data() + line, ptx.find('\n', at) - line);
      const bool atomic = text.find("atom.") != std::string_view::npos ||
                          text.find("red.") != std::string_view::npos;
      if (atomic && (text.find(".f32") != std::string_view::npos ||
                     text.find(".f64") != std::string_view::npos ||
                     text.find("f16") != std::string_view::npos))
        return true;
    }
    // Loops of compare and swap are how wider or other sums are written.
    return ptx.find(".cas.b32") != std::string::npos || ptx.find(".cas.b64") != std::string::npos;
  });
}

bool is_fault_of_warps(simt::FaultKind kind) {
  return kind == simt::FaultKind::warp_race || kind == simt::FaultKind::sync_mask;
}

}  // namespace warpwright::port
