// SPDX-License-Identifier: Apache-2.0
#include "torch/gpu_mode.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/files.h"
#include "core/expression.h"

namespace warpwright::torch {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostProblem = std::size_t{1} << 20;

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\"'");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\r\"',") - first + 1));
}

/// A value that Python can read as it is: a number, a truth value or a short text.
std::string python_value(const std::string& text) {
  if (text == "true" || text == "True") return "True";
  if (text == "false" || text == "False") return "False";
  if (!text.empty() && text.find_first_not_of("0123456789.eE+-") == std::string::npos) return text;
  std::string plain;
  for (const char c : text)
    if (c != '"' && c != '\\' && static_cast<unsigned char>(c) >= ' ') plain += c;
  return "\"" + plain + "\"";
}

/// "size: 4" into the case.
void add_pair(std::string_view text, GpuModeCase& into) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return;
  const std::string name = trimmed(text.substr(0, colon));
  if (!is_identifier(name)) return;
  into.emplace_back(name, python_value(trimmed(text.substr(colon + 1))));
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// Imports of the harness's own files go: what they give is stood in for.
std::string without_harness(const std::string& text) {
  std::string kept;
  for (const auto line : lines_of(text)) {
    const auto first = line.find_first_not_of(" \t");
    const auto word = first == std::string_view::npos ? line : line.substr(first);
    const bool harness = word.starts_with("from task ") || word.starts_with("from utils ") ||
                         word.starts_with("import task") || word.starts_with("import utils");
    kept += harness && word.find('(') == std::string_view::npos ? "" : std::string(line);
    kept += "\n";
  }
  return kept;
}

constexpr std::string_view kStandIns = R"(import contextlib
import torch

input_t = output_t = TestSpec = object


def make_match_reference(*args, **kwargs):
    return None


def match_reference(*args, **kwargs):
    return None


def verbose_allclose(*args, **kwargs):
    return []


@contextlib.contextmanager
def DeterministicContext():
    yield


)";

}  // namespace

std::vector<fs::path> find_problems_of_gpu_mode(const fs::path& root) {
  std::vector<fs::path> found;
  std::error_code code;
  const auto look = [&](const fs::path& folder) {
    if (fs::exists(folder / "task.yml", code) && fs::exists(folder / "reference.py", code))
      found.push_back(folder);
  };
  look(root);
  for (const auto& entry : fs::recursive_directory_iterator(root, code))
    if (entry.is_directory(code)) look(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<GpuModeCase> gpu_mode_cases(std::string_view yaml, std::string_view list) {
  std::vector<GpuModeCase> cases;
  bool inside = false;
  for (const auto line : lines_of(yaml)) {
    const auto first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos || line[first] == '#') continue;
    std::string_view text = line.substr(first);
    if (first == 0 && text[0] != '-') {
      inside = text.starts_with(list) && text.substr(list.size()).starts_with(":");
      continue;
    }
    if (!inside) continue;
    if (text[0] == '-') {
      cases.emplace_back();
      text.remove_prefix(1);
    }
    if (cases.empty()) continue;
    const auto open = text.find('{');
    if (open == std::string_view::npos) {
      add_pair(text, cases.back());
      continue;
    }
    text = text.substr(open + 1, text.find('}', open) - open - 1);
    while (!text.empty()) {
      const auto comma = std::min(text.find(','), text.size());
      add_pair(text.substr(0, comma), cases.back());
      text.remove_prefix(std::min(comma + 1, text.size()));
    }
  }
  return cases;
}

Result<ModuleFile> module_of_gpu_mode(const fs::path& folder) {
  WW_TRY(const auto yaml, read_file(folder / "task.yml", kMostProblem));
  WW_TRY(const auto reference, read_file(folder / "reference.py", kMostProblem));
  auto cases = gpu_mode_cases(yaml, "benchmarks");
  if (cases.empty()) cases = gpu_mode_cases(yaml, "tests");
  if (cases.empty()) return Error{"task.yml has no tests and no benchmarks"};
  std::string names;
  std::string call;
  for (const auto& [name, value] : cases.front()) {
    const bool seed = name == "seed";
    if (!seed) names += fmt::format("{} = {}\n", name, value);
    call += fmt::format("{}{}={}", call.empty() ? "" : ", ", name, seed ? value : name);
  }
  ModuleFile file{.path = (folder / "reference.py").string()};
  file.text = fmt::format(
      "# gpu-mode: {}\n{}{}\n\n# The first benchmark of task.yml.\n{}\n\ndef get_inputs():\n"
      "    return [generate_input({})]\n\n\ndef forward(data):\n    return ref_kernel(data)\n",
      folder.filename().string(), kStandIns, without_harness(reference), names, call);
  return file;
}

}  // namespace warpwright::torch
