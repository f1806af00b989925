// SPDX-License-Identifier: Apache-2.0
#include "cli/verdict_text.h"

#include <fmt/format.h>

#include "cli/summary.h"

namespace warpwright::cli {

namespace {

bool holds(std::string_view text, std::string_view part) {
  return !part.empty() && text.find(part) != std::string_view::npos;
}

/// The feedback says what the reason says, and more: of faults in other words around the same
/// message.
bool feedback_covers_reason(const Evaluation& evaluation) {
  if (holds(evaluation.feedback, evaluation.reason)) return true;
  for (const Finding& finding : evaluation.findings) {
    if (!finding.message.empty() && evaluation.reason.ends_with(finding.message) &&
        holds(evaluation.feedback, finding.message)) {
      return true;
    }
  }
  return false;
}

std::string verdict_line(const Evaluation& evaluation, const Painter& painter, bool with_reason) {
  std::string line = painter.verdict(name_of(evaluation.verdict), evaluation.valid());
  line += fmt::format(" at stage {}", name_of(evaluation.stage));
  if (!evaluation.device.empty()) line += " on " + evaluation.device;
  if (const auto compiler = evaluation.manifest.find("compiler");
      compiler != evaluation.manifest.end()) {
    line += ", compiled by " + compiler->second;
  }
  if (with_reason && !evaluation.reason.empty()) line += ": " + evaluation.reason;
  return line + "\n";
}

std::string resource_lines(const Evaluation& evaluation) {
  std::string lines;
  for (const auto& r : evaluation.resources) {
    lines += fmt::format(
        "  kernel {}: {} registers, {} B spilled, {} B shared, occupancy {:.0f} %\n", r.kernel,
        r.registers, r.spill_store_bytes + r.spill_load_bytes, r.shared_bytes, r.occupancy * 100);
  }
  return lines;
}

std::string finding_lines(const Evaluation& evaluation, const Painter& painter) {
  std::string lines;
  for (const Finding& finding : evaluation.findings) {
    if (!evaluation.valid() && holds(evaluation.feedback, finding.message)) continue;
    const std::string where = finding.line > 0 ? fmt::format("line {}: ", finding.line) : "";
    lines +=
        fmt::format("  {}{}: {}\n", where, painter.warning(finding.kind.name()), finding.message);
  }
  return lines;
}

}  // namespace

std::string evaluation_text(const Evaluation& evaluation, const Painter& painter) {
  const bool told = !evaluation.valid() && !evaluation.feedback.empty();
  std::string text =
      verdict_line(evaluation, painter, !(told && feedback_covers_reason(evaluation)));
  if (told) text += evaluation.feedback + (evaluation.feedback.ends_with('\n') ? "" : "\n");
  return text + resource_lines(evaluation) + finding_lines(evaluation, painter) +
         times_table(evaluation);
}

}  // namespace warpwright::cli
