// SPDX-License-Identifier: Apache-2.0
#include "bench/kernel_file.h"

#include <fmt/format.h>

#include "base/sha256.h"
#include "base/text.h"

namespace warpwright::bench {

namespace {

constexpr std::string_view kHash = "sha256";
constexpr std::string_view kTask = "task";
constexpr std::string_view kEndOfHead = "\n\n";

/// One line whatever the value holds, so that a name cannot leave the comment.
std::string line_of(std::string_view name, std::string_view value) {
  std::string text = clean_utf8(value);
  for (char& c : text) {
    if (c == '\n' || c == '\r' || c == '\\') c = ' ';
  }
  return fmt::format("// {}: {}\n", name, text);
}

std::string times_of(const std::vector<Measurement>& measurements) {
  std::string text;
  for (const auto& m : measurements) {
    text += fmt::format("{}{} {:.2f}", text.empty() ? "" : ", ", m.size, m.median_us);
  }
  const bool estimated = !measurements.empty() && measurements[0].source == TimeSource::estimated;
  return text + (estimated ? " (estimates)" : "");
}

std::optional<std::string> value_of(std::string_view head, std::string_view name) {
  const std::string begin = fmt::format("// {}: ", name);
  for (const auto line : lines_of(head)) {
    if (line.starts_with(begin)) return std::string(trimmed(line.substr(begin.size())));
  }
  return std::nullopt;
}

}  // namespace

std::string kernel_file_text(const KernelOrigin& origin, std::string_view source) {
  std::string text = "// SPDX-License-Identifier: Apache-2.0\n";
  text += line_of(kTask, origin.task);
  text += line_of("rules", origin.rule_set);
  text += line_of("device", origin.device);
  text += line_of("date", origin.date);
  if (!origin.commit.empty()) text += line_of("commit", origin.commit);
  text += line_of("made by", origin.made_by);
  text += line_of("model", origin.model);
  text += line_of("run", origin.run);
  text += line_of("median us", times_of(origin.measurements));
  text += line_of(kHash, sha256_hex(source));
  return text + "\n" + std::string(source);
}

std::optional<std::string> kernel_file_problem(std::string_view text, std::string_view task) {
  const auto end = text.find(kEndOfHead);
  if (end == std::string_view::npos) return std::nullopt;
  const auto head = text.substr(0, end + 1);
  const auto hash = value_of(head, kHash), named = value_of(head, kTask);
  if (!hash || !named) return std::nullopt;
  if (*named != task) return fmt::format("its head says that it is for the task '{}'", *named);
  if (*hash != sha256_hex(text.substr(end + kEndOfHead.size()))) {
    return "its source was changed after its head was written: the sha256 differs";
  }
  return std::nullopt;
}

}  // namespace warpwright::bench
