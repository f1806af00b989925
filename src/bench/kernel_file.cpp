// SPDX-License-Identifier: Apache-2.0
#include "bench/kernel_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/sha256.h"
#include "base/text.h"

namespace warpwright::bench {

namespace {

constexpr std::string_view kHash = "sha256";
constexpr std::string_view kTask = "task";
constexpr std::string_view kEndOfHead = "\n\n";
constexpr std::string_view kEstimates = " (estimates)";

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
  return text + std::string(estimated ? kEstimates : "");
}

/// The medians of a head: "N=2^10,k=32 4.57, N=2^12,k=64 5.66". What is none is left out.
std::vector<Measurement> measurements_of(std::string_view text) {
  const bool estimated = text.ends_with(kEstimates);
  if (estimated) text.remove_suffix(kEstimates.size());
  std::vector<Measurement> measurements;
  while (!text.empty()) {
    const auto end = std::min(text.find(", "), text.size());
    const auto item = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 2, text.size()));
    const auto space = item.rfind(' ');
    if (space == std::string_view::npos) continue;
    const std::string number(item.substr(space + 1));
    char* rest = nullptr;
    const double median = std::strtod(number.c_str(), &rest);
    if (rest == number.c_str() || *rest != '\0' || !(median > 0)) continue;
    Measurement measurement;
    measurement.size = std::string(trimmed(item.substr(0, space)));
    measurement.median_us = median;
    measurement.source = estimated ? TimeSource::estimated : TimeSource::measured;
    measurements.push_back(std::move(measurement));
  }
  return measurements;
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

std::optional<KernelFile> read_kernel_file(std::string_view text) {
  const auto end = text.find(kEndOfHead);
  if (end == std::string_view::npos) return std::nullopt;
  const auto head = text.substr(0, end + 1);
  const auto hash = value_of(head, kHash), task = value_of(head, kTask);
  if (!hash || !task) return std::nullopt;
  const auto said = [&](std::string_view name) { return value_of(head, name).value_or(""); };
  KernelFile file;
  file.sha256 = *hash;
  file.licence = said("SPDX-License-Identifier");
  file.source = std::string(text.substr(end + kEndOfHead.size()));
  file.origin = {.task = *task,
                 .rule_set = said("rules"),
                 .device = said("device"),
                 .date = said("date"),
                 .commit = said("commit"),
                 .made_by = said("made by"),
                 .model = said("model"),
                 .run = said("run"),
                 .measurements = measurements_of(said("median us"))};
  return file;
}

std::optional<std::string> kernel_file_problem(std::string_view text, std::string_view task) {
  const auto file = read_kernel_file(text);
  if (!file) return std::nullopt;
  if (file->origin.task != task)
    return fmt::format("its head says that it is for the task '{}'", file->origin.task);
  if (file->sha256 != sha256_hex(file->source))
    return "its source was changed after its head was written: the sha256 differs";
  return std::nullopt;
}

}  // namespace warpwright::bench
