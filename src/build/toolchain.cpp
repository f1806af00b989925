// SPDX-License-Identifier: Apache-2.0
#include "build/toolchain.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "base/assert.h"
#include "base/process.h"
#include "base/text.h"

namespace warpwright::build {

namespace fs = std::filesystem;

namespace {

constexpr std::array<std::string_view, 3> kNames = {"auto", "clang", "nvcc"};
constexpr std::string_view kDefaultToolkit = "/usr/local/cuda";
constexpr int kOldestClang = 17;
constexpr int kNewestClang = 24;
constexpr int kTriedClang = 19;

/// The line of --version that carries the version number.
Compiler ask_version(const fs::path& path, std::string_view mark) {
  Command command;
  command.argv = {path.string(), "--version"};
  command.env = minimal_environment();
  command.limits.wall = std::chrono::seconds(20);
  const auto exit = run_process(command);
  if (!exit.ok() || !exit->succeeded()) return {};
  for (const auto line : lines_of(exit->out)) {
    const auto at = line.find(mark);
    if (at == std::string_view::npos) continue;
    Compiler compiler{path, std::string(trimmed(line)), 0};
    const auto digits = line.find_first_of("0123456789", at + mark.size());
    if (digits != std::string_view::npos) {
      std::from_chars(line.data() + digits, line.data() + line.size(), compiler.major);
    }
    return compiler;
  }
  return {};
}

Compiler find_clang() {
  std::vector<std::string> names = {"clang-" + std::to_string(kTriedClang)};
  for (int major = kNewestClang; major >= kOldestClang; --major) {
    names.push_back("clang-" + std::to_string(major));
  }
  names.emplace_back("clang");
  for (const auto& name : names) {
    const auto path = find_program(name);
    if (!path.ok()) continue;
    Compiler compiler = ask_version(*path, "clang version");
    if (compiler.major >= kOldestClang) return compiler;
  }
  return {};
}

fs::path toolkit_program(std::string_view name) {
  if (const auto path = find_program(name); path.ok()) return *path;
  const auto usual = find_program((fs::path(kDefaultToolkit) / "bin" / name).string());
  return usual.ok() ? *usual : fs::path();
}

bool has_headers(const fs::path& toolkit) {
  std::error_code ignored;
  return fs::exists(toolkit / "include" / "cuda_runtime_api.h", ignored);
}

/// Where nvcc's headers are. Beside it, unless it is a script that calls the real one: then a dry
/// run tells ("#$ TOP=/usr/local/cuda/bin/.."). Empty when nobody knows.
fs::path toolkit_of(const fs::path& nvcc) {
  std::error_code ignored;
  const fs::path beside = fs::canonical(nvcc, ignored).parent_path().parent_path();
  if (has_headers(beside)) return beside;
  Command command;
  command.argv = {nvcc.string(), "--dryrun", "-x", "cu", "-c", "/dev/null"};
  command.env = minimal_environment();
  command.limits.wall = std::chrono::seconds(20);
  const auto exit = run_process(command);
  if (!exit.ok()) return {};
  constexpr std::string_view kMark = "#$ TOP=";
  for (const auto line : lines_of(exit->err)) {
    if (!line.starts_with(kMark)) continue;
    const fs::path told = fs::canonical(trimmed(line.substr(kMark.size())), ignored);
    if (has_headers(told)) return told;
  }
  return {};
}

}  // namespace

std::string_view name_of(FrontEnd front_end) {
  const auto index = static_cast<std::size_t>(front_end);
  ASSERT(index < kNames.size(), "unknown front end");
  return kNames[index];
}

std::optional<FrontEnd> front_end_named(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<FrontEnd>(i);
  }
  return std::nullopt;
}

bool Toolchain::supports(FrontEnd front_end) const {
  switch (front_end) {
    case FrontEnd::clang:
      return clang.found();
    case FrontEnd::nvcc:
      return nvcc.found() && host.found();
    case FrontEnd::automatic:
      return supports(FrontEnd::clang) || supports(FrontEnd::nvcc);
  }
  return false;
}

Result<FrontEnd> Toolchain::resolve(FrontEnd wanted) const {
  if (!supports(wanted)) {
    return Error{"no compiler for front end '" + std::string(name_of(wanted)) +
                 "': install clang-19 (package clang-19), or a CUDA toolkit with nvcc and g++"};
  }
  if (wanted != FrontEnd::automatic) return wanted;
  return clang.found() ? FrontEnd::clang : FrontEnd::nvcc;
}

std::vector<fs::path> Toolchain::folders() const {
  std::vector<fs::path> result;
  for (const fs::path& program : {clang.path, nvcc.path, host.path, ptxas}) {
    std::error_code ignored;
    const fs::path real = fs::canonical(program, ignored);
    if (program.empty() || real.empty()) continue;
    // bin/tool stands beside the tool's own lib and include.
    for (const fs::path& prefix :
         {real.parent_path().parent_path(), program.parent_path().parent_path()}) {
      const std::string text = prefix.string();
      const bool system = text.starts_with("/usr") || text.size() < 2 || !prefix.is_absolute();
      if (!system && std::find(result.begin(), result.end(), prefix) == result.end()) {
        result.push_back(prefix);
      }
    }
  }
  return result;
}

Toolchain find_toolchain() {
  Toolchain tools;
  tools.clang = find_clang();
  if (const auto path = find_program("g++"); path.ok()) tools.host = ask_version(*path, ") ");
  if (const fs::path nvcc = toolkit_program("nvcc"); !nvcc.empty()) {
    tools.toolkit = toolkit_of(nvcc);
    // Of no use without its headers: clang is tried instead.
    if (!tools.toolkit.empty()) tools.nvcc = ask_version(nvcc, "release");
  }
  // A script that calls one that is gone is none.
  if (const fs::path ptxas = toolkit_program("ptxas"); !ptxas.empty())
    tools.ptxas = ask_version(ptxas, "release").path;
  tools.nvdisasm = toolkit_program("nvdisasm");
  if (const auto path = find_program("addr2line"); path.ok()) tools.addr2line = *path;
  return tools;
}

}  // namespace warpwright::build
