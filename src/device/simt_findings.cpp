// SPDX-License-Identifier: Apache-2.0
#include "device/simt_findings.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpwright::device {

namespace {

// Below these a pattern is not worth a sentence.
constexpr double kWastefulTraffic = 1.5;  // bytes moved over bytes asked for
constexpr double kTrafficShare = 0.05;    // of the launch's sectors
constexpr double kConflictFactor = 1.25;  // passes over the least possible
constexpr double kDivergentShare = 0.2;   // of a line's branches
constexpr std::uint64_t kFewBranches = 32;
constexpr std::uint64_t kFewAtomics = 1024;
constexpr double kLowOccupancy = 0.25;
constexpr std::size_t kMostFindings = 12;
constexpr std::uint64_t kSectorBytes = 32;

bool is_of(std::string_view file, std::string_view source_file) {
  if (source_file.empty() || file.empty()) return true;
  const std::size_t slash = file.rfind('/');
  return (slash == std::string_view::npos ? file : file.substr(slash + 1)) == source_file;
}

int line_in(std::string_view file, std::uint32_t line, std::string_view source_file) {
  return is_of(file, source_file) ? static_cast<int>(line) : 0;
}

double ratio(std::uint64_t a, std::uint64_t b) {
  return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
}

struct Weighed {
  double weight = 0;  ///< share of the launch's memory passes that is lost
  Finding finding;
};

void add_shared(const simt::LineTraffic& line, int number, const simt::LaunchReport& report,
                std::vector<Weighed>& found) {
  const double factor = ratio(line.wavefronts, line.ideal_wavefronts);
  const double share = ratio(line.wavefronts, report.counts.shared_wavefronts);
  if (factor < kConflictFactor || share < kTrafficShare) return;
  found.push_back(
      {0.5 * share,
       {"bank_conflict", number,
        fmt::format("shared-memory {} take {:.1f} passes where 1 would do ({:.0f}% of the kernel's "
                    "shared-memory passes): lanes of a warp hit the same bank; pad the rows by one "
                    "element or permute the columns",
                    line.is_store ? "stores" : "loads", factor, 100 * share)}});
}

void add_traffic(const simt::LaunchReport& report, std::string_view source_file,
                 std::vector<Weighed>& found) {
  const std::uint64_t all = report.counts.global_load_sectors + report.counts.global_store_sectors;
  for (const simt::LineTraffic& line : report.traffic) {
    const int number = line_in(line.file, line.line, source_file);
    if (line.is_shared) {
      add_shared(line, number, report, found);
      continue;
    }
    const double factor = ratio(line.sectors * kSectorBytes, line.bytes);
    const double share = ratio(line.sectors, all);
    if (factor < kWastefulTraffic || share < kTrafficShare) continue;
    // A lane alone needs a whole sector, whatever its neighbours do.
    const double ideal = std::max(ratio(line.bytes, line.requests * kSectorBytes), 1.0);
    if (ratio(line.sectors, line.requests) < 1.2 * ideal) continue;
    found.push_back(
        {share,
         {"uncoalesced", number,
          fmt::format("global {} move {:.1f} times the bytes they ask for ({:.1f} sectors of 32 "
                      "bytes per warp request where {:.1f} would do, {:.0f}% of the kernel's "
                      "traffic): neighbouring threads should access neighbouring addresses",
                      line.is_store ? "stores" : "loads", factor,
                      ratio(line.sectors, line.requests), ideal, 100 * share)}});
  }
}

void add_divergence(const simt::LaunchReport& report, std::string_view source_file,
                    std::vector<Weighed>& found) {
  for (const simt::LineDivergence& line : report.divergence) {
    const double share = ratio(line.divergent, line.branches);
    if (share < kDivergentShare || line.branches < kFewBranches) continue;
    found.push_back({0.1 * share,
                     {"divergence", line_in(line.file, line.line, source_file),
                      fmt::format("{:.0f}% of the warps that branch here go both ways, one after "
                                  "the other: let whole warps decide alike, or compute both ways "
                                  "and select",
                                  100 * share)}});
  }
}

void add_lines(const simt::LaunchReport& report, std::string_view source_file,
               std::vector<Weighed>& found) {
  const simt::Counts& counts = report.counts;
  const std::uint64_t sectors =
      counts.global_load_sectors + counts.global_store_sectors + counts.local_sectors;
  for (const simt::LineCount& line : report.lines) {
    const int number = line_in(line.file, line.line, source_file);
    const double queued = ratio(line.atomic_serialised, line.atomic_lanes);
    if (line.atomic_lanes > kFewAtomics && queued > 0.5) {
      found.push_back(
          {0.4 * queued,
           {"atomic_contention", number,
            fmt::format("{:.0f}% of the {} atomic operations wait for another lane of their warp "
                        "at the same address: combine within the warp or block first",
                        100 * queued, line.atomic_lanes)}});
    }
    if (ratio(line.local_sectors, sectors) < kTrafficShare) continue;
    found.push_back({0.3 * ratio(line.local_sectors, sectors),
                     {"local_memory", number,
                      fmt::format("{:.0f}% of the kernel's traffic is local memory: an array is "
                                  "indexed in a way that keeps it out of registers; unroll the "
                                  "loops that index it",
                                  100 * ratio(line.local_sectors, sectors))}});
  }
}

void add_occupancy(const simt::LaunchReport& report, const simt::Estimate& estimate,
                   std::vector<Weighed>& found) {
  if (estimate.occupancy >= kLowOccupancy || estimate.occupancy <= 0) return;
  std::string why = fmt::format("blocks of {} threads", report.block.count());
  if (estimate.limiter == "registers") why = fmt::format("{} registers a thread", report.registers);
  if (estimate.limiter == "shared")
    why = fmt::format("{} bytes of shared memory a block", report.shared_bytes);
  found.push_back({0.05,
                   {"low_occupancy", 0,
                    fmt::format("only {:.0f}% of the threads that an SM can hold are resident, "
                                "because of {}: too few to hide latency unless each has much "
                                "independent work",
                                100 * estimate.occupancy, why)}});
}

}  // namespace

bool is_only_a_finding(const simt::Fault& fault) {
  return fault.kind == simt::FaultKind::uninitialised_read ||
         fault.kind == simt::FaultKind::barrier_mismatch ||
         fault.kind == simt::FaultKind::benign_race;
}

Fault fault_of(const simt::Fault& fault, std::string_view source_file) {
  Fault result;
  switch (fault.kind) {
    case simt::FaultKind::out_of_bounds:
    case simt::FaultKind::misaligned:
    case simt::FaultKind::use_after_free:
    case simt::FaultKind::uninitialised_read:
      result.verdict = Verdict::memory_fault;
      break;
    case simt::FaultKind::shared_race:
    case simt::FaultKind::global_race:
    case simt::FaultKind::conflicting_stores:
    case simt::FaultKind::divergent_barrier:
    case simt::FaultKind::sync_mask:
    case simt::FaultKind::warp_race:
    case simt::FaultKind::barrier_mismatch:
    case simt::FaultKind::barrier_count:
    case simt::FaultKind::narrow_scope:
    case simt::FaultKind::benign_race:
      result.verdict = Verdict::race;
      break;
    case simt::FaultKind::deadlock:
    case simt::FaultKind::timeout:
      result.verdict = Verdict::timeout;
      break;
    case simt::FaultKind::trap:
    case simt::FaultKind::assertion:
      result.verdict = Verdict::launch_error;
      break;
  }
  result.kind = FindingKind::named(id_of(fault.kind)).value_or(FindingKind("other"));
  result.kernel = fault.kernel;
  result.line = line_in(fault.file, fault.line, source_file);
  std::string where =
      fmt::format("block ({}, {}, {}), thread ({}, {}, {})", fault.block.x, fault.block.y,
                  fault.block.z, fault.thread.x, fault.thread.y, fault.thread.z);
  const std::string_view detail = fault.detail.empty() ? name_of(fault.kind) : fault.detail;
  result.message = fmt::format("{}, in {}", detail, where);
  if (fault.occurrences > 1) {
    result.message += fmt::format(" ({} occurrences)", fault.occurrences);
  }
  return result;
}

std::vector<Finding> findings_of(const simt::LaunchReport& report, const simt::Estimate& estimate,
                                 std::string_view source_file) {
  std::vector<Weighed> found;
  add_traffic(report, source_file, found);
  add_divergence(report, source_file, found);
  add_lines(report, source_file, found);
  add_occupancy(report, estimate, found);
  std::stable_sort(found.begin(), found.end(),
                   [](const Weighed& a, const Weighed& b) { return a.weight > b.weight; });
  std::vector<Finding> findings;
  for (auto& item : found) {
    if (findings.size() < kMostFindings) findings.push_back(std::move(item.finding));
  }
  return findings;
}

}  // namespace warpwright::device
