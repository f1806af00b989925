// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "device/kernel_name.h"
#include "device/simt_estimate.h"
#include "device/simt_findings.h"
#include "evaluate/explain_lines.h"

namespace warpwright::evaluate {

namespace {

constexpr std::string_view kBold = "\033[1m", kRed = "\033[31m", kYellow = "\033[33m",
                           kDim = "\033[2m", kPlain = "\033[0m";
constexpr std::size_t kMostCode = 1000;  ///< against files of one line
constexpr std::size_t kMostNotes = 64;   ///< columns
constexpr std::uint32_t kContext = 1;    ///< lines shown around those that were executed
constexpr double kWasteful = 1.5, kConflicts = 1.25, kDivergent = 0.2, kQueued = 0.5;

/// Adds escape sequences, or does not.
class Painter {
 public:
  explicit Painter(bool colour) : colour_(colour) {}
  [[nodiscard]] std::string paint(std::string_view how, std::string_view text) const {
    if (!colour_ || how.empty()) return std::string(text);
    return fmt::format("{}{}{}", how, text, kPlain);
  }

 private:
  bool colour_;
};

/// 950, 12.3k, 4.56M, 7.8G
std::string amount(double n) {
  if (n < 1e3) return fmt::format("{:.0f}", n);
  if (n < 1e6) return fmt::format("{:.1f}k", n / 1e3);
  if (n < 1e9) return fmt::format("{:.2f}M", n / 1e6);
  return fmt::format("{:.2f}G", n / 1e9);
}

std::string source_line(std::span<const std::string_view> lines, std::uint32_t line) {
  if (line < 1 || line > lines.size()) return {};
  return shortened(clean_utf8(lines[line - 1]), kMostCode);
}

struct LineNotes {
  std::string text;
  bool bad = false;
  void add(std::string note, bool is_bad) {
    text += (text.empty() ? "" : ", ") + note;
    bad = bad || is_bad;
  }
};

void add_global(LineNotes& notes, std::string_view what, const LineAccess& a) {
  if (a.requests == 0) return;
  const bool bad = ratio(a.sectors * 32, a.bytes) > kWasteful;
  std::string text =
      fmt::format("{} {:.1f}/{:.0f} sectors", what, ratio(a.sectors, a.requests), ideal_sectors(a));
  if (bad) text += fmt::format(" ({}B wasted)", amount(wasted_bytes(a)));
  notes.add(text, bad);
}

void add_shared(LineNotes& notes, std::string_view what, const LineAccess& a) {
  if (a.requests == 0) return;
  const double factor = ratio(a.wavefronts, a.ideal_wavefronts);
  notes.add(fmt::format("{} x{:.1f} bank passes", what, factor), factor > kConflicts);
}

LineNotes notes_of(const LineFacts& f) {
  LineNotes notes;
  add_global(notes, "ld", f.loads);
  // Atomics are stores to the memory system; their line says so below.
  add_global(notes, f.atomics > 0 ? "atomic" : "st", f.stores);
  add_shared(notes, "ld.shared", f.shared_loads);
  add_shared(notes, f.atomics > 0 ? "atomic.shared" : "st.shared", f.shared_stores);
  if (f.atomics > 0) {
    const double queued = ratio(f.atomics_waiting, f.atomics);
    notes.add(fmt::format("{:.0f}% queue", 100 * queued), queued > kQueued);
  }
  const double divergent = ratio(f.divergent, f.branches);
  if (f.divergent > 0)
    notes.add(fmt::format("{:.0f}% divergent", 100 * divergent), divergent > kDivergent);
  if (f.local_sectors > 0) notes.add("local memory", true);
  return notes;
}

std::string annotated(const Explanation& e, const Painter& p) {
  const auto facts = line_facts(e);
  if (facts.empty()) return {};
  const auto lines = lines_of(e.source);
  std::string text =
      p.paint(kBold, "source") +
      "  (warp executions; sectors or bank passes per request / the least possible)\n";
  std::uint32_t shown = 0;
  std::size_t width = 0;
  for (const auto& [line, fact] : facts) width = std::max(width, notes_of(fact).text.size());
  width = std::min(width, kMostNotes);
  const auto near = [&](std::uint32_t n) {
    const auto next = facts.lower_bound(n > kContext ? n - kContext : 1);
    return next != facts.end() && next->first <= n + kContext;
  };
  for (std::uint32_t n = 1; n <= lines.size(); ++n) {
    if (!near(n)) continue;
    if (shown != 0 && n > shown + 1) text += p.paint(kDim, "      ...") + "\n";
    shown = n;
    const auto found = facts.find(n);
    const LineNotes notes = found == facts.end() ? LineNotes{} : notes_of(found->second);
    const std::string times = found == facts.end() ? "" : amount(found->second.executions);
    std::string margin = fmt::format("{:>8} {:<{}}", times, notes.text, width);
    text += p.paint(kDim, fmt::format("{:>5} ", n)) + p.paint(notes.bad ? kRed : kDim, margin) +
            p.paint(kDim, " | ") + source_line(lines, n) + "\n";
  }
  return text + "\n";
}

std::string fault_lines(const Explanation& e, const Painter& p) {
  const auto faults = e.faults();
  if (e.checked_size.empty()) return {};
  std::string text =
      p.paint(kBold, fmt::format("reports at size {}", e.checked_size)) +
      (faults.empty() ? ": none (all blocks, all checks)\n\n" : "  (all blocks, all checks)\n");
  if (faults.empty()) return text;
  const auto lines = lines_of(e.source);
  for (const simt::Fault& fault : faults) {
    const device::Fault mapped = device::fault_of(fault, "candidate.cu");
    const bool mild = device::is_only_a_finding(fault);
    text += fmt::format("  {} in {}", p.paint(mild ? kYellow : kRed, name_of(fault.kind)),
                        device::kernel_name(fault.kernel));
    if (mapped.line > 0) text += fmt::format(" at line {}", mapped.line);
    text += ": " + mapped.message + "\n";
    if (mapped.line > 0)
      text +=
          p.paint(kDim, fmt::format("    {:>5} | {}", mapped.line,
                                    source_line(lines, static_cast<std::uint32_t>(mapped.line)))) +
          "\n";
  }
  return text + "\n";
}

std::string finding_lines(const Explanation& e, const Painter& p) {
  std::string text;
  for (const Finding& finding : e.evaluation.findings) {
    text += "  " + p.paint(kYellow, finding.kind.name());
    if (finding.line > 0) text += fmt::format(" at line {}", finding.line);
    text += ": " + finding.message + "\n";
  }
  return text.empty() ? text : p.paint(kBold, "findings") + "\n" + text + "\n";
}

std::string mix_line(const simt::Counts& counts) {
  const auto all = static_cast<double>(counts.warp_instructions());
  std::vector<std::pair<double, std::string_view>> parts;
  for (std::size_t k = 0; k < simt::kOpClasses; ++k)
    if (counts.by_class[k].warps != 0)
      parts.emplace_back(static_cast<double>(counts.by_class[k].warps) / all,
                         name_of(static_cast<simt::OpClass>(k)));
  std::sort(parts.rbegin(), parts.rend());
  std::string text;
  for (const auto& [share, name] : parts)
    if (share >= 0.01)
      text += fmt::format("{}{} {:.0f}%", text.empty() ? "" : ", ", name, 100 * share);
  return text;
}

std::string flops_line(const simt::Flops& f, double scale) {
  const std::pair<std::string_view, std::uint64_t> parts[] = {{"single", f.fp32},
                                                              {"double", f.fp64},
                                                              {"half", f.fp16},
                                                              {"tensor", f.tensor},
                                                              {"special", f.special}};
  std::string text;
  for (const auto& [name, n] : parts)
    if (n != 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name,
                          amount(scale * static_cast<double>(n)));
  return text.empty() ? "none" : text;
}

/// Where the launch stands under the device's roof, by the bytes that it moves.
std::string roofline_line(const simt::Flops& f, double scale, double moved, double us,
                          const DeviceFacts& target) {
  const auto seconds = [&](std::uint64_t operations, double tflops) {
    return tflops > 0 ? scale * static_cast<double>(operations) / (tflops * 1e12) : 0;
  };
  const double arithmetic =
      seconds(f.fp32, target.fp32_tflops) + seconds(f.fp64, target.fp64_tflops) +
      seconds(f.fp16, 2 * target.fp32_tflops) + seconds(f.tensor, target.half_tensor_tflops);
  const double memory =
      target.memory_gb_per_s > 0 ? scale * moved / (target.memory_gb_per_s * 1e9) : 0;
  const double operations = scale * static_cast<double>(f.total());
  const double least = std::max(arithmetic, memory);
  if (least <= 0) return "no traffic and no arithmetic";
  std::string text = memory > 0 ? fmt::format("{:.3g} FLOP/byte", operations / (scale * moved))
                                : std::string("no traffic");
  text += fmt::format(", bound by {}: at most {:.3g} TFLOP/s",
                      memory >= arithmetic ? "memory" : "arithmetic", operations / least / 1e12);
  if (us > 0) text += fmt::format("; the estimate is at {:.0f}% of the roof", 1e8 * least / us);
  return text;
}

std::string kernel_lines(const device::LaunchDetail& launch, const DeviceFacts& target,
                         const Painter& p) {
  const simt::LaunchReport& r = launch.report;
  const simt::Estimate& e = launch.estimate;
  const double scale = grid_scale(r);
  const double warps = static_cast<double>(r.counts.warp_instructions());
  const double lanes = static_cast<double>(r.counts.lane_instructions());
  std::string text = p.paint(kBold, "kernel " + device::kernel_name(launch.kernel));
  text +=
      fmt::format("  grid {}x{}x{}, block {}x{}x{}, {} B shared, about {} registers\n", r.grid.x,
                  r.grid.y, r.grid.z, r.block.x, r.block.y, r.block.z, r.shared_bytes, r.registers);
  if (r.blocks_run < r.blocks_total)
    text +=
        fmt::format("  counts are of {} of {} blocks, scaled up\n", r.blocks_run, r.blocks_total);
  text +=
      fmt::format("  instructions  {} by warps, {} by lanes ({:.0f}% of the lanes active): {}\n",
                  amount(scale * warps), amount(scale * lanes), 100 * ratio(lanes, 32 * warps),
                  mix_line(r.counts));
  text += fmt::format("  FLOPs         {}\n", flops_line(r.counts.flops, scale));
  const auto asked = static_cast<double>(r.counts.global_load_bytes + r.counts.global_store_bytes);
  const auto moved =
      32 * static_cast<double>(r.counts.global_load_sectors + r.counts.global_store_sectors);
  text +=
      fmt::format("  global bytes  {} asked for, {} moved, {} distinct\n", amount(scale * asked),
                  amount(scale * moved), amount(static_cast<double>(r.touched_of_grid)));
  // What is touched again comes from a cache, at best.
  const auto distinct = std::min(moved, static_cast<double>(r.touched_of_grid) / scale);
  text += fmt::format("  roofline      {}\n",
                      roofline_line(r.counts.flops, scale, distinct, e.us, target));
  text +=
      fmt::format("  occupancy     {:.0f}%, {} blocks per SM, limited by {}\n", 100 * e.occupancy,
                  e.blocks_per_sm, e.limiter == "shared" ? "shared memory" : e.limiter);
  text +=
      fmt::format("  estimate      {:.2f} us (an estimate, not a measurement); {}; parts:", e.us,
                  device::describe_bottleneck(e));
  for (std::size_t i = 0; i < std::min<std::size_t>(e.parts.size(), 4); ++i)
    text += fmt::format(" {} {:.2f}", e.parts[i].name, e.parts[i].us);
  return text + "\n";
}

}  // namespace

std::string explanation_text(const Explanation& e, bool colour) {
  const Painter p(colour);
  const Evaluation& v = e.evaluation;
  std::string text =
      p.paint(kBold, fmt::format("{} on the SIMT machine, for {}", e.task, e.target.name)) + "\n\n";
  if (!v.valid()) {
    text += p.paint(kRed, name_of(v.verdict));
    return text + ": " + v.reason + "\n" + v.feedback;
  }
  text += fault_lines(e, p) + finding_lines(e, p);
  if (!e.counted_size.empty())
    text +=
        p.paint(kBold, fmt::format("counts at size {}", e.counted_size)) +
        (e.estimate_us > 0 ? fmt::format(": the call is estimated at {:.2f} us (an estimate, not a "
                                         "measurement)\n\n",
                                         e.estimate_us)
                           : "\n\n");
  text += annotated(e, p);
  for (const device::LaunchDetail& launch : e.counted) text += kernel_lines(launch, e.target, p);
  return text;
}

}  // namespace warpwright::evaluate
