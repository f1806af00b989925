// SPDX-License-Identifier: Apache-2.0
#include "mcp/summary.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "core/evaluation_json.h"
#include "core/json_reader.h"
#include "evaluate/explain_lines.h"

namespace warpwright::mcp {

namespace {

constexpr std::size_t kThings = 3;
constexpr std::size_t kLines = 8;
constexpr std::size_t kShortBytes = 600;
constexpr std::size_t kFeedbackBytes = 4000;

Json thing(std::string_view kind, int line, std::string_view message) {
  return {{"kind", kind}, {"line", line}, {"message", shortened(message, kShortBytes)}};
}

std::string things_text(const Json& things, const char* head) {
  if (things.empty()) return "";
  std::string text = head;
  int number = 0;
  for (const auto& item : things) {
    const int line = item["line"].get<int>();
    text +=
        fmt::format("  {}. {}{}: {}\n", ++number, line > 0 ? fmt::format("line {}, ", line) : "",
                    item["kind"].get<std::string>(), item["message"].get<std::string>());
  }
  return text;
}

Json times_of(const Evaluation& evaluation, std::string& table) {
  Json sizes = Json::array();
  for (const auto& m : evaluation.measurements) {
    Json row = {{"size", m.size}, {"us", call_us(m)}};
    table += fmt::format("  {:<20} {:>12.3f} us", m.size, call_us(m));
    // What lies within it is the same.
    if (m.source == TimeSource::measured && m.high_us > m.low_us && m.median_us > 0)
      table += fmt::format(" +-{:.1f} %", 50 * (m.high_us - m.low_us) / m.median_us);
    if (m.baseline_us > 0) {
      row["baseline_us"] = m.baseline_us;
      table +=
          fmt::format("  baseline {:.3f} us (x{:.2f})", m.baseline_us, m.baseline_us / call_us(m));
    }
    if (m.floor_us > 0) {
      row["floor_us"] = m.floor_us;
      table +=
          fmt::format("  floor {:.3f} us ({:.0f} %)", m.floor_us, m.floor_us / call_us(m) * 100);
    }
    table += "\n";
    sizes.push_back(std::move(row));
  }
  return sizes;
}

/// What the compiler made of the kernels: what an author can change about how many warps fit.
std::string resources_text(const Evaluation& evaluation) {
  std::string text;
  std::size_t shown = 0;
  for (const KernelResources& r : evaluation.resources) {
    if (shown++ == kThings) break;
    text += fmt::format("  kernel {}: {} registers, {}, {} B shared", shortened(r.kernel, 80),
                        r.registers,
                        r.spill_store_bytes > 0 ? fmt::format("{} B spilled", r.spill_store_bytes)
                                                : std::string("nothing spilled"),
                        r.shared_bytes);
    if (r.occupancy > 0) text += fmt::format(", occupancy {:.0f} %", r.occupancy * 100);
    text += "\n";
  }
  return text;
}

bool is_estimate(const Evaluation& evaluation) {
  return std::any_of(evaluation.measurements.begin(), evaluation.measurements.end(),
                     [](const auto& m) { return m.source == TimeSource::estimated; });
}

/// What costs most, by memory traffic first and instructions next.
std::vector<std::pair<std::uint32_t, evaluate::LineFacts>> costly_lines(
    const evaluate::Explanation& explanation) {
  std::vector<std::pair<std::uint32_t, evaluate::LineFacts>> lines;
  for (const auto& [number, facts] : evaluate::line_facts(explanation)) {
    if (number > 0) lines.emplace_back(number, facts);
  }
  const auto weight = [](const evaluate::LineFacts& f) {
    return 32 * (f.loads.sectors + f.stores.sectors + f.local_sectors) +
           128 * (f.shared_loads.wavefronts + f.shared_stores.wavefronts) + f.warp_instructions;
  };
  std::stable_sort(lines.begin(), lines.end(), [&](const auto& a, const auto& b) {
    return weight(a.second) > weight(b.second);
  });
  if (lines.size() > kLines) lines.resize(kLines);
  return lines;
}

Json line_json(std::uint32_t number, const evaluate::LineFacts& f) {
  return {{"line", number},
          {"warp_instructions", f.warp_instructions},
          {"bytes", f.loads.bytes + f.stores.bytes},
          {"wasted_bytes", evaluate::wasted_bytes(f.loads) + evaluate::wasted_bytes(f.stores)},
          {"bank_conflict_factor",
           std::max(evaluate::ratio(f.shared_loads.wavefronts, f.shared_loads.ideal_wavefronts),
                    evaluate::ratio(f.shared_stores.wavefronts, f.shared_stores.ideal_wavefronts))},
          {"divergent_share", evaluate::ratio(f.divergent, f.branches)},
          {"atomics", f.atomics}};
}

std::string line_text(const Json& row) {
  std::string text =
      fmt::format("  line {:<4} {:.0f} warp instructions, {:.0f} bytes", row["line"].get<int>(),
                  row["warp_instructions"].get<double>(), row["bytes"].get<double>());
  if (row["wasted_bytes"].get<double>() > 0) {
    text += fmt::format(", {:.0f} of them moved for nothing", row["wasted_bytes"].get<double>());
  }
  if (row["bank_conflict_factor"].get<double>() > 1) {
    text += fmt::format(", bank conflicts x{:.1f}", row["bank_conflict_factor"].get<double>());
  }
  if (row["divergent_share"].get<double>() > 0) {
    text +=
        fmt::format(", {:.0f} % of branches diverge", row["divergent_share"].get<double>() * 100);
  }
  return text + "\n";
}

}  // namespace

Json evaluation_for_model(const Evaluation& evaluation) {
  Json whole = Json::parse(evaluation_to_json(evaluation), nullptr, false);
  whole.erase("seed");
  whole.erase("reason");
  return whole;
}

Json things_to_fix(const Evaluation& evaluation) {
  Json things = Json::array();
  const auto add = [&](std::string_view kind, int line, std::string_view message) {
    if (things.size() < kThings) things.push_back(thing(kind, line, message));
  };
  if (!evaluation.valid()) {
    for (const auto& d : evaluation.diagnostics) {
      if (d.severity == "error") add("error", d.line, d.message);
    }
    if (evaluation.diagnostics.empty() || things.empty()) {
      // The judge's own reason may name paths: what a model needs is that it is not its fault.
      const bool judge_failed = evaluation.verdict == Verdict::harness_error;
      add(name_of(evaluation.verdict), 0,
          judge_failed ? "the judge could not work, perhaps because its machine is too busy; this "
                         "says nothing about the kernel: call again"
                       : evaluation.feedback);
    }
  }
  for (const auto& what : evaluation.unchecked) add("unchecked", 0, what);
  for (const auto& f : evaluation.findings) {
    // Which instructions there are explains a lost precision; of a valid kernel it is no fault.
    const bool mere_fact = evaluation.valid() && f.kind == FindingKind("instructions");
    const bool actionable = f.kind != FindingKind("note") && f.kind != FindingKind("sampling");
    if (actionable && !mere_fact) add(f.kind.name(), f.line, f.message);
  }
  return things;
}

ToolAnswer evaluation_answer(const Evaluation& evaluation, bool complete) {
  ToolAnswer answer;
  std::string table;
  Json& data = answer.data;
  data = {{"state", "done"},
          {"verdict", name_of(evaluation.verdict)},
          {"stage", name_of(evaluation.stage)},
          {"valid", evaluation.valid()},
          {"feedback", shortened(evaluation.feedback, kFeedbackBytes)},
          {"fix", things_to_fix(evaluation)},
          {"sizes", times_of(evaluation, table)},
          {"estimated", is_estimate(evaluation)},
          {"device", evaluation.device}};
  std::string head = fmt::format("Verdict: {} at stage {}{}{}.", name_of(evaluation.verdict),
                                 name_of(evaluation.stage), evaluation.device.empty() ? "" : " on ",
                                 evaluation.device);
  if (const auto score = score_us(evaluation)) data["score_us"] = *score;
  if (const auto gain = speedup(evaluation)) {
    data["speedup"] = *gain;
    head += fmt::format(" {:.2f} times as fast as the baseline{}.", *gain,
                        is_estimate(evaluation) ? " (an estimate, no measurement)" : "");
  }
  if (const auto sol = sol_score(evaluation)) data["sol_score"] = *sol;
  if (const auto share = roofline_share(evaluation)) {
    data["roofline_share"] = *share;
    head += fmt::format(" {:.0f} % of the least possible time is reached.", *share * 100);
  }
  answer.text = head + "\n" +
                things_text(data["fix"], evaluation.valid() ? "What could be better:\n"
                                                            : "To fix, the worst first:\n") +
                resources_text(evaluation) + table;
  if (complete) {
    data["evaluation"] = evaluation_for_model(evaluation);
    answer.text += "\n" + shortened(evaluation.feedback, kFeedbackBytes) + "\n" +
                   dump_json(data["evaluation"], 1);
  }
  return answer;
}

ToolAnswer explanation_answer(const evaluate::Explanation& explanation, bool complete) {
  ToolAnswer answer;
  Json faults = Json::array();
  for (const auto& fault : explanation.faults()) {
    if (faults.size() < kThings) {
      faults.push_back(thing("fault", static_cast<int>(fault.line), fault.describe()));
    }
  }
  Json lines = Json::array();
  std::string table;
  for (const auto& [number, facts] : costly_lines(explanation)) {
    lines.push_back(line_json(number, facts));
    table += line_text(lines.back());
  }
  answer.data = {{"state", "done"},
                 {"verdict", name_of(explanation.evaluation.verdict)},
                 {"clean", explanation.clean()},
                 {"faults", faults},
                 {"fix", things_to_fix(explanation.evaluation)},
                 {"lines", lines},
                 {"checked_size", explanation.checked_size},
                 {"counted_size", explanation.counted_size},
                 {"estimate_us", explanation.estimate_us},
                 {"device", explanation.target.name}};
  answer.text = fmt::format(
      "{} (checked at {}, counted at {}). Estimate for {}: {:.3f} us, no measurement.\n",
      explanation.clean() ? "Nothing wrong was seen" : "There is something wrong",
      explanation.checked_size.empty() ? "no size" : explanation.checked_size,
      explanation.counted_size.empty() ? "no size" : explanation.counted_size,
      explanation.target.name, explanation.estimate_us);
  answer.text += things_text(faults, "Reports:\n");
  answer.text += things_text(answer.data["fix"], "Findings, the worst first:\n");
  if (!table.empty()) answer.text += "The costly lines:\n" + table;
  if (complete) {
    answer.data["explanation"] =
        Json::parse(evaluate::explanation_json(explanation), nullptr, false);
    answer.data["explanation"]["evaluation"] = evaluation_for_model(explanation.evaluation);
    answer.text += "\n" + evaluate::explanation_text(explanation, false);
  }
  return answer;
}

}  // namespace warpwright::mcp
