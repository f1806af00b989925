// SPDX-License-Identifier: Apache-2.0
#include "prompt/feedback.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "core/expression.h"

namespace warpwright::prompt {

namespace {

constexpr std::size_t kMaxLineBytes = 400;
constexpr std::size_t kMaxQuotedBytes = 200;
constexpr std::size_t kShortestSecret = 6;
constexpr std::size_t kMaxRemark = 180;
constexpr std::size_t kMaxTriedReason = 160;
constexpr double kWideInterval = 0.05;  // a narrower one is not worth its words

std::string number(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15) return fmt::format("{:.0f}", value);
  return fmt::format("{:.6g}", value);
}

/// Three significant digits without an exponent.
std::string three_digits(double value) {
  if (!(std::abs(value) < 1e15)) return fmt::format("{:.3g}", value);
  if (value >= 100) return fmt::format("{:.0f}", value);
  if (value >= 10) return fmt::format("{:.1f}", value);
  if (value >= 1) return fmt::format("{:.2f}", value);
  return fmt::format("{:.3f}", value);
}

std::string percent(double share) { return fmt::format("{:.0f}%", 100 * share); }

std::string cut(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  std::size_t end = max_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + " ...";
}

/// One line of foreign text.
std::string one_line(std::string_view text, std::string_view secret) {
  std::string line = without_secrets(trimmed(text), secret);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return cut(line, kMaxLineBytes);
}

std::string quoted_line(std::span<const std::string_view> lines, int line) {
  if (line < 1 || static_cast<std::size_t>(line) > lines.size()) return {};
  const auto text = clean_utf8(lines[static_cast<std::size_t>(line) - 1]);
  return fmt::format("    {} | {}\n", line, cut(text, kMaxQuotedBytes));
}

std::string_view source_word(TimeSource source) {
  return source == TimeSource::estimated ? "estimated" : "measured";
}

std::string diagnostics_text(const Evaluation& failed, std::span<const std::string_view> lines) {
  std::string text;
  // Errors first: when the budget cuts, warnings go before them.
  for (const bool warnings : {false, true}) {
    for (const auto& diagnostic : failed.diagnostics) {
      if ((diagnostic.severity == "warning") != warnings) continue;
      if (diagnostic.line > 0) text += fmt::format("line {}: ", diagnostic.line);
      text +=
          fmt::format("{}: {}\n", diagnostic.severity, one_line(diagnostic.message, failed.seed));
      text += quoted_line(lines, diagnostic.line);
    }
  }
  return text;
}

/// Whether the feedback is the compiler's text again: it has every error of the diagnostics.
bool repeats_diagnostics(const Evaluation& failed) {
  return !failed.diagnostics.empty() &&
         std::all_of(failed.diagnostics.begin(), failed.diagnostics.end(), [&](const auto& d) {
           return d.severity != "error" || failed.feedback.find(d.message) != std::string::npos;
         });
}

bool is_path_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '-' || c == '+' || c == '~';
}

/// Whether a path may begin behind this character; "a/b" and "x /= 2" are no paths.
bool may_precede_path(char c) {
  return std::string_view(" \t\n\"'`(<=:,[").find(c) != std::string_view::npos;
}

/// Length of the absolute path of two or more components at the start of text, or 0.
std::size_t path_length(std::string_view text) {
  std::size_t end = 1;
  std::size_t slashes = 1;
  while (end < text.size() &&
         (is_path_char(text[end]) || (text[end] == '/' && text[end - 1] != '/'))) {
    slashes += text[end] == '/' ? 1 : 0;
    ++end;
  }
  return slashes >= 2 ? end : 0;
}

/// The beginning, on one line, up to the end of a word.
std::string shortened_words(std::string_view text, std::size_t most) {
  std::string line;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (blank && (line.empty() || line.back() == ' ')) continue;
    line += blank ? ' ' : c;
    if (line.size() > most) {
      line.resize(std::min(line.rfind(' '), most));
      return line + " ...";
    }
  }
  return std::string(trimmed(line));
}

std::string tried_line(const TriedBefore& tried) {
  const auto& evaluation = tried.evaluation;
  std::string line = "- ";
  if (!tried.summary.empty()) line += one_line(tried.summary, evaluation.seed) + ": ";
  if (!evaluation.valid()) {
    line += fmt::format("failed, {}", name_of(evaluation.verdict));
    const std::string why = shortened_words(evaluation.feedback, kMaxTriedReason);
    if (!why.empty()) line += ": " + one_line(why, evaluation.seed);
    return line + "\n";
  }
  const auto score = score_us(evaluation);
  if (!score) return line + "valid, not timed\n";
  line += fmt::format("{} ({})", microseconds(*score),
                      source_word(evaluation.measurements.front().source));
  if (const auto gain = speedup(evaluation))
    line += fmt::format(", {}x the baseline", three_digits(*gain));
  if (evaluation.measurements.size() > 1) {
    std::vector<std::string> times;
    for (const auto& m : evaluation.measurements) times.push_back(three_digits(m.median_us));
    line += fmt::format("; by size {} us", fmt::join(times, ", "));
  }
  return line + "\n";
}

}  // namespace

std::string remark_of(std::string_view reply) {
  const std::string_view before = reply.substr(0, reply.find("```"));
  return before.size() == reply.size() ? std::string() : shortened_words(before, kMaxRemark);
}

std::string microseconds(double value) { return three_digits(value) + " us"; }

std::string device_facts_text(const DeviceFacts& device) {
  const auto kib = [](int bytes) { return bytes / 1024; };
  const bool amd = !device.amd.empty();
  std::string text =
      fmt::format("- {} architecture, {}, {} {}, {} of {} threads", device.architecture,
                  instruction_set(device), device.sm_count, amd ? "compute units (CUs)" : "SMs",
                  amd ? "wavefronts" : "warps", device.warp_size);
  if (!amd && device.compute_major >= 9)
    text += fmt::format(", compiled for sm_{}{}a", device.compute_major, device.compute_minor);
  if (device.boost_clock_ghz > 0)
    text += fmt::format(", boost clock {} GHz", device.boost_clock_ghz);
  const std::string_view unit = amd ? "CU" : "SM";
  text += fmt::format(
      "\n- per block: at most {} threads; per {}: at most {} threads and {} blocks\n",
      device.max_threads_per_block, unit, device.max_threads_per_sm, device.max_blocks_per_sm);
  text += fmt::format("- {} 32-bit registers per {}, at most {} per thread\n",
                      device.registers_per_sm, unit, device.max_registers_per_thread);
  const std::string opting_in =
      amd ? std::string()
          : fmt::format(", {} KiB per block after opting in with cudaFuncSetAttribute",
                        kib(device.shared_per_block_optin_bytes));
  text += fmt::format("- shared memory: {} KiB per block{}, {} KiB per {}\n",
                      kib(device.shared_per_block_bytes), opting_in,
                      kib(device.shared_per_sm_bytes), unit);
  text += fmt::format("- L2 cache: {} MiB; device memory: {} GB",
                      number(static_cast<double>(device.l2_bytes) / (1 << 20)),
                      device.memory_bytes >> 30);
  if (device.memory_gb_per_s > 0)
    text += fmt::format(" at {} GB/s", number(device.memory_gb_per_s));
  if (device.fp32_tflops > 0) {
    text += fmt::format("\n- peak without {} cores: {} TFLOP/s fp32", amd ? "matrix" : "tensor",
                        number(device.fp32_tflops));
    if (device.fp64_tflops > 0)
      text += fmt::format(", {} TFLOP/s fp64", number(device.fp64_tflops));
  }
  return text;
}

std::string tensor_rate_text(const Task& task, const DeviceFacts& device) {
  if (wants_full_precision(task) || device.half_tensor_tflops <= 0) return "";
  const bool amd = !device.amd.empty();
  std::string text = fmt::format("\n- peak of {} cores: {} TFLOP/s half and bfloat16",
                                 amd ? "matrix" : "tensor", number(device.half_tensor_tflops));
  // All of NVIDIA's that have TF32 multiply it at half of that rate.
  if (!amd) text += fmt::format(", {} TFLOP/s TF32", number(device.half_tensor_tflops / 2));
  return text;
}

namespace {

std::set<std::string> names_in(const std::string& text) {
  const auto expression = Expression::parse(text);
  return expression.ok() ? expression->names() : std::set<std::string>();
}

/// The derived values that scalars and numbers of elements follow from; others are the judge's own.
std::set<std::string> told_values(const Task& task) {
  std::vector<std::string> open;
  for (const auto& argument : task.arguments) {
    open.push_back(argument.name);
    for (const auto& name : names_in(argument.expression)) open.push_back(name);
  }
  std::set<std::string> told;
  while (!open.empty()) {
    const auto derived = task.derived.find(open.back());
    open.pop_back();
    if (derived == task.derived.end() || !told.insert(derived->first).second) continue;
    for (const auto& name : names_in(derived->second)) open.push_back(name);
  }
  return told;
}

}  // namespace

std::string arguments_text(const Task& task) {
  std::string text;
  for (const auto& argument : task.arguments) {
    if (!is_buffer(argument)) continue;
    const std::string_view use = argument.role == ArgumentRole::input    ? "read only"
                                 : argument.role == ArgumentRole::output ? "to be written"
                                                                         : "read and written";
    text += fmt::format("- `{}`: {} elements of {}, {}\n", argument.name, argument.expression,
                        cuda_name(argument.type), use);
  }
  const std::set<std::string> told = told_values(task);
  for (const auto& [name, expression] : task.derived) {
    if (!told.contains(name)) continue;
    text += fmt::format("- where {} = {}\n", name, expression);
  }
  return std::string(trimmed(text));
}

std::string rules_text(const Task& task) {
  std::string text;
  for (const auto sentence : rule_sentences(task)) text += fmt::format("- {}\n", sentence);
  return std::string(trimmed(text));
}

std::string sizes_text(std::span<const TaskSize> sizes) {
  std::string text;
  for (const auto& size : sizes) {
    text += fmt::format("- {}", size.label);
    const char* separator = ": ";
    for (const auto& [name, value] : size.values) {
      text += fmt::format("{}{} = {}", separator, name, number(value));
      separator = ", ";
    }
    text += '\n';
  }
  return std::string(trimmed(text));
}

std::string times_text(const Evaluation& evaluation, FeedbackLevel level) {
  std::string text;
  const bool weighted = has_weights(evaluation);
  for (const auto& m : evaluation.measurements) {
    text += fmt::format("- {}: {} {}", m.size, microseconds(m.median_us), source_word(m.source));
    if (m.host_excess_us > 0) {
      text += fmt::format(", and {} on the host beyond launching", microseconds(m.host_excess_us));
    }
    if (level == FeedbackLevel::rich) {
      if (m.source == TimeSource::measured && m.high_us > (1 + kWideInterval) * m.low_us) {
        text +=
            fmt::format(" (interval {} to {})", three_digits(m.low_us), microseconds(m.high_us));
      }
      if (m.baseline_us > 0 && m.median_us > 0) {
        text +=
            fmt::format("; {}x the baseline's speed", three_digits(m.baseline_us / m.median_us));
      }
      if (m.floor_us > 0 && m.median_us > 0) {
        text += fmt::format("; physical floor {}, {} times that", microseconds(m.floor_us),
                            three_digits(m.median_us / m.floor_us));
      }
    }
    if (weighted) text += fmt::format("; counts {} in the score", three_digits(m.weight));
    text += '\n';
  }
  return std::string(trimmed(text));
}

std::string farthest_text(const Evaluation& evaluation) {
  const Measurement* farthest = nullptr;
  for (const auto& m : evaluation.measurements) {
    if (m.floor_us <= 0 || m.median_us <= 0) return {};
    if (farthest == nullptr ||
        m.median_us * farthest->floor_us > farthest->median_us * m.floor_us) {
      farthest = &m;
    }
  }
  if (farthest == nullptr || evaluation.measurements.size() < 2) return {};
  return fmt::format("- most is to be gained at {}: {} above the floor", farthest->size,
                     microseconds(farthest->median_us - farthest->floor_us));
}

std::string resources_text(const Evaluation& evaluation) {
  std::string text;
  for (const auto& r : evaluation.resources) {
    text += fmt::format("- {}: {} registers per thread", r.kernel, r.registers);
    const bool spills = r.spill_store_bytes > 0 || r.spill_load_bytes > 0;
    text += spills ? fmt::format(", spills {} bytes out and {} bytes back", r.spill_store_bytes,
                                 r.spill_load_bytes)
                   : ", no spills";
    if (r.stack_bytes > 0) text += fmt::format(", {} bytes of stack", r.stack_bytes);
    text += fmt::format(", {} bytes of shared memory per block", r.shared_bytes);
    if (r.occupancy > 0) text += fmt::format(", occupancy {}", percent(r.occupancy));
    text += '\n';
  }
  return limited(text, kMaxFindings, kMaxFeedbackBytes);
}

namespace {

constexpr std::size_t kMaxLinesNamed = 8;
constexpr std::size_t kMaxLinesQuoted = 3;

/// Remarks for people, and on how times were taken: nothing that a kernel's author can act on.
bool is_for_people(const Finding& finding) {
  return finding.kind == "note" || finding.kind == "sampling";
}

/// What is said of one line, or in the same words of several.
struct SaidOfLines {
  const Finding* finding = nullptr;
  std::vector<int> lines;
};

std::vector<SaidOfLines> by_words(const std::vector<Finding>& findings) {
  std::vector<SaidOfLines> said;
  for (const Finding& finding : findings) {
    if (is_for_people(finding)) continue;
    auto same = std::find_if(said.begin(), said.end(), [&](const SaidOfLines& one) {
      return one.finding->kind == finding.kind && one.finding->message == finding.message;
    });
    if (same == said.end()) same = said.insert(said.end(), {&finding, {}});
    if (finding.line > 0) same->lines.push_back(finding.line);
  }
  return said;
}

std::string places_text(const std::vector<int>& lines) {
  if (lines.empty()) return {};
  const auto named = std::span(lines).first(std::min(lines.size(), kMaxLinesNamed));
  std::string text = fmt::format("line{} {}", lines.size() == 1 ? "" : "s", fmt::join(named, ", "));
  if (lines.size() > named.size()) text += fmt::format(" and {} more", lines.size() - named.size());
  return text + ", ";
}

}  // namespace

std::string findings_text(const Evaluation& evaluation, std::string_view source) {
  const auto lines = lines_of(source);
  const auto said = by_words(evaluation.findings);
  std::string text;
  for (std::size_t i = 0; i < said.size(); ++i) {
    if (i == kMaxFindings) {
      text += fmt::format("[... {} more findings left out]\n", said.size() - kMaxFindings);
      break;
    }
    const Finding& finding = *said[i].finding;
    text += fmt::format("- {}{}: {}\n", places_text(said[i].lines), finding.kind.name(),
                        one_line(finding.message, evaluation.seed));
    for (std::size_t k = 0; k < std::min(said[i].lines.size(), kMaxLinesQuoted); ++k) {
      text += quoted_line(lines, said[i].lines[k]);
    }
  }
  return limited(text, kMaxFeedbackLines, kMaxFeedbackBytes);
}

std::string tried_text(std::span<const TriedBefore> tried) {
  std::string text;
  if (tried.size() > kMaxTried) {
    text += fmt::format("[{} earlier ones left out]\n", tried.size() - kMaxTried);
    tried = tried.last(kMaxTried);
  }
  for (const auto& one : tried) text += tried_line(one);
  return limited(text, kMaxTried + 1, kMaxFeedbackBytes);
}

std::string failure_text(const Evaluation& failed, std::string_view source, FeedbackLevel level) {
  const std::string feedback = without_secrets(failed.feedback, failed.seed);
  std::string text;
  if (level == FeedbackLevel::paper) {
    text = trimmed(feedback).empty() ? diagnostics_text(failed, {}) : feedback;
  } else {
    text = diagnostics_text(failed, lines_of(source));
    if (!repeats_diagnostics(failed)) {
      if (!text.empty() && !trimmed(feedback).empty()) text += '\n';
      text += feedback;
    }
  }
  return limited(text, kMaxFeedbackLines, kMaxFeedbackBytes);
}

std::string limited(std::string_view text, std::size_t max_lines, std::size_t max_bytes) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  const auto lines = lines_of(text);
  std::string kept;
  std::size_t count = 0;
  for (const auto line : lines) {
    const std::string piece = cut(line, kMaxLineBytes);
    if (count == max_lines || kept.size() + piece.size() + 1 > max_bytes) break;
    if (count++ > 0) kept += '\n';
    kept += piece;
  }
  if (count < lines.size())
    kept += fmt::format("\n[... {} more lines left out]", lines.size() - count);
  return kept;
}

std::string without_secrets(std::string_view text, std::string_view secret) {
  const std::string clean = clean_utf8(text);
  std::string out;
  out.reserve(clean.size());
  for (std::size_t i = 0; i < clean.size();) {
    const std::string_view rest = std::string_view(clean).substr(i);
    if (rest[0] == '/' && (i == 0 || may_precede_path(clean[i - 1]))) {
      if (const std::size_t length = path_length(rest)) {
        const auto path = rest.substr(0, length);
        out += path.substr(path.rfind('/') + 1);
        i += length;
        continue;
      }
    }
    if (secret.size() >= kShortestSecret && rest.starts_with(secret)) {
      out += "[hidden]";
      i += secret.size();
      continue;
    }
    out += clean[i++];
  }
  return out;
}

}  // namespace warpwright::prompt
