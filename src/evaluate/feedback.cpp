// SPDX-License-Identifier: Apache-2.0
#include "evaluate/feedback.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "device/kernel_name.h"

namespace warpwright::evaluate {

namespace {

constexpr std::size_t kMostMessages = 10;
constexpr std::size_t kMostFaults = 4;
constexpr std::size_t kMessageBytes = 600;
constexpr std::size_t kFeedbackBytes = 6000;

}  // namespace

std::string at_line(int line, std::string_view message, std::string_view source) {
  const std::string text = shortened(message, kMessageBytes);
  if (line <= 0) return text + "\n";
  std::string result = fmt::format("line {}: {}\n", line, text);
  const auto lines = lines_of(source);
  if (static_cast<std::size_t>(line) <= lines.size()) {
    result += fmt::format("    {} | {}\n", line,
                          shortened(lines[static_cast<std::size_t>(line) - 1], kMessageBytes));
  }
  return result;
}

std::string compile_feedback(const std::vector<Diagnostic>& diagnostics, std::string_view source) {
  const bool has_errors = std::any_of(diagnostics.begin(), diagnostics.end(),
                                      [](const Diagnostic& d) { return d.severity == "error"; });
  std::string text;
  std::size_t shown = 0;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (has_errors && diagnostic.severity == "warning") continue;
    if (shown++ == kMostMessages) {
      text += "(more messages of this kind are left out)\n";
      break;
    }
    text += at_line(diagnostic.line, diagnostic.severity + ": " + diagnostic.message, source);
  }
  return shortened(text, kFeedbackBytes);
}

std::string describe_case(const verify::Case& item) {
  std::string values;
  // The labels of sizes without a name of their own already are their values.
  const bool spelt_out = item.size->label.find('=') != std::string::npos;
  for (const auto& [name, value] : item.size->values) {
    if (spelt_out) break;
    values += fmt::format("{}{} = {:.15g}", values.empty() ? "" : ", ", name, value);
  }
  std::string text = "size " + item.size->label;
  if (!values.empty()) text += " (" + values + ")";
  if (item.variant != nullptr) text += ", inputs '" + item.variant->name + "'";
  return text;
}

std::string fault_feedback(const std::vector<device::Fault>& faults, const verify::Case& item,
                           std::string_view source) {
  std::string text = "At " + describe_case(item) + ":\n";
  for (std::size_t i = 0; i < std::min(faults.size(), kMostFaults); ++i) {
    const device::Fault& fault = faults[i];
    std::string message;
    if (!fault.kernel.empty()) message = "in kernel " + device::kernel_name(fault.kernel) + ": ";
    std::string kind(fault.kind.name());
    std::replace(kind.begin(), kind.end(), '_', ' ');
    text += at_line(fault.line, message + kind + ": " + fault.message, source);
  }
  return shortened(text, kFeedbackBytes);
}

std::string mismatch_reason(const verify::Mismatch& mismatch, const verify::Case& item) {
  // Most messages begin with the case themselves, in fewer words.
  const std::string own = verify::describe(item) + ": ";
  std::string_view message = mismatch.message;
  if (message.starts_with(own)) message.remove_prefix(own.size());
  return describe_case(item) + ": " + std::string(message);
}

std::string mismatch_feedback(const verify::Mismatch& mismatch, const verify::Case& item,
                              const std::vector<Finding>& causes, std::string_view source) {
  std::string text = "At " + mismatch_reason(mismatch, item) + "\n";
  for (const verify::WrongElement& wrong : mismatch.first) {
    text += fmt::format("  {}[{}]: expected {:.9g}, got {:.9g}\n", mismatch.argument, wrong.index,
                        wrong.expected, wrong.got);
  }
  for (const Finding& cause : causes) {
    text += "Possible cause: ";
    text += at_line(cause.line, cause.message, source);
  }
  return shortened(text, kFeedbackBytes);
}

}  // namespace warpwright::evaluate
