// SPDX-License-Identifier: Apache-2.0
#include "evaluate/explain_lines.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace warpwright::evaluate {

namespace {

constexpr double kSectorBytes = 32;

bool is_candidate(std::string_view file) {
  return file.substr(file.rfind('/') + 1) == "candidate.cu";
}

double scaled(double scale, std::uint64_t n) { return scale * static_cast<double>(n); }

void add_traffic(const simt::LineTraffic& t, double scale, LineFacts& line) {
  LineAccess& a = t.is_shared ? (t.is_store ? line.shared_stores : line.shared_loads)
                              : (t.is_store ? line.stores : line.loads);
  a.requests += scaled(scale, t.requests);
  a.bytes += scaled(scale, t.bytes);
  a.sectors += scaled(scale, t.sectors);
  a.wavefronts += scaled(scale, t.wavefronts);
  a.ideal_wavefronts += scaled(scale, t.ideal_wavefronts);
}

void add_count(const simt::LineCount& c, double scale, LineFacts& line) {
  line.executions += scaled(scale, c.most);
  line.warp_instructions += scaled(scale, c.warps);
  line.lane_instructions += scaled(scale, c.lanes);
  line.flops += scaled(scale, c.flops);
  line.atomics += scaled(scale, c.atomic_lanes);
  line.atomics_waiting += scaled(scale, c.atomic_serialised);
  line.local_sectors += scaled(scale, c.local_sectors);
  line.barriers += scaled(scale, c.barriers);
}

}  // namespace

double grid_scale(const simt::LaunchReport& report) {
  return report.blocks_run == 0
             ? 1
             : static_cast<double>(report.blocks_total) / static_cast<double>(report.blocks_run);
}

std::map<std::uint32_t, LineFacts> line_facts(const Explanation& explanation) {
  std::map<std::uint32_t, LineFacts> lines;
  for (const device::LaunchDetail& launch : explanation.counted) {
    const double scale = grid_scale(launch.report);
    for (const auto& c : launch.report.lines)
      if (c.line != 0 && is_candidate(c.file)) add_count(c, scale, lines[c.line]);
    for (const auto& t : launch.report.traffic)
      if (t.line != 0 && is_candidate(t.file)) add_traffic(t, scale, lines[t.line]);
    for (const auto& d : launch.report.divergence) {
      if (d.line == 0 || !is_candidate(d.file)) continue;
      lines[d.line].branches += scaled(scale, d.branches);
      lines[d.line].divergent += scaled(scale, d.divergent);
    }
  }
  return lines;
}

double ideal_sectors(const LineAccess& access) {
  return std::max(1.0, std::ceil(ratio(access.bytes, access.requests) / kSectorBytes));
}

double wasted_bytes(const LineAccess& access) {
  return std::max(0.0, access.sectors * kSectorBytes - access.bytes);
}

}  // namespace warpwright::evaluate
