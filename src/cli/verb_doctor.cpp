// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdlib>

#include <dlfcn.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/process.h"
#include "base/text.h"
#include "cli/exit_codes.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "core/json_reader.h"
#include "sandbox/sandbox.h"

namespace warpwright::cli {

namespace {

/// One part of the surroundings: what was found, what it is good for, how to get it.
struct DoctorPart {
  std::string name;
  bool there = false;
  bool needed = false;  ///< without it nothing can be judged
  std::string found;
  std::string adds;
  std::string remedy;
};

struct ProgramRow {
  const char* program;
  const char* adds;
  const char* remedy;
};

constexpr std::array<ProgramRow, 5> kPrograms = {{
    {"nvcc", "the CUDA toolkit's compile verdict, cubins, registers and spills",
     "install NVIDIA's CUDA toolkit 12.4 or newer and put nvcc in PATH"},
    {"compute-sanitizer", "memory, race and initialisation checks on a GPU",
     "comes with the CUDA toolkit"},
    {"ncu", "hardware counters in the feedback", "comes with the CUDA toolkit"},
    {"bwrap", "the strongest sandbox for model-written code", "apt-get install bubblewrap"},
    {"g++", "float64 references of the tasks", "apt-get install g++"},
}};

std::string version_of(const std::string& program) {
  Command command;
  command.argv = {program, "--version"};
  command.env = minimal_environment();
  command.limits.wall = std::chrono::seconds(10);
  const auto exit = run_process(command);
  if (!exit.ok() || !exit->succeeded()) return "";
  const auto lines = lines_of(exit->out);
  for (const auto line : lines) {
    if (line.find("release") != std::string_view::npos) return std::string(trimmed(line));
  }
  return lines.empty() ? "" : std::string(trimmed(lines[0]));
}

DoctorPart program_part(const ProgramRow& row) {
  DoctorPart part{row.program, false, false, "", row.adds, row.remedy};
  if (const auto path = find_program(row.program); path.ok()) {
    part.there = true;
    part.found = path->string() + "  " + version_of(row.program);
  }
  return part;
}

DoctorPart clang_part() {
  DoctorPart part{"clang",
                  false,
                  true,
                  "",
                  "PTX without a CUDA toolkit: the built-in SIMT machine runs it",
                  "apt-get install clang-19"};
  for (const char* name : {"clang-19", "clang-20", "clang-18", "clang-17"}) {
    const auto path = find_program(name);
    if (!path.ok()) continue;
    part.there = true;
    part.found = path->string() + "  " + version_of(name);
    break;
  }
  return part;
}

DoctorPart gpu_part() {
  DoctorPart part{"GPU",
                  false,
                  false,
                  "",
                  "measured times; without it times are estimates of a described device",
                  "an NVIDIA GPU with its driver"};
  // dlopen, never a link: one program for machines with and without a GPU.
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return part;
  using Init = int (*)(unsigned);
  using Count = int (*)(int*);
  const auto init = reinterpret_cast<Init>(::dlsym(library, "cuInit"));
  const auto count = reinterpret_cast<Count>(::dlsym(library, "cuDeviceGetCount"));
  int devices = 0;
  if (init != nullptr && count != nullptr && init(0) == 0 && count(&devices) == 0 && devices > 0) {
    part.there = true;
    part.found = fmt::format("{} device(s) through libcuda.so.1", devices);
  } else {
    part.found = "libcuda.so.1 is there, but no device answers";
  }
  return part;
}

DoctorPart sandbox_part() {
  DoctorPart part{"sandbox",
                  false,
                  true,
                  "",
                  "model-written code runs without network, home or keys",
                  "apt-get install bubblewrap, or allow unprivileged user namespaces"};
  for (const auto& report : sandbox::probe()) {
    if (report.works && report.level != sandbox::Level::none && !part.there) {
      part.there = true;
      part.found = "level " + std::string(sandbox::name_of(report.level));
    }
  }
  return part;
}

DoctorPart model_part() {
  DoctorPart part{
      "model key",
      false,
      false,
      "",
      "a provider's model can be asked",
      "export one of the variables that 'warpwright models' lists, or use --model inbox"};
  for (const auto& model : llm::known_models()) {
    if (model.key_env.empty() || std::getenv(std::string(model.key_env).c_str()) == nullptr)
      continue;
    part.there = true;
    part.found += (part.found.empty() ? "" : ", ") + std::string(model.key_env) + " is set";
  }
  return part;
}

int examine(bool as_json) {
  std::vector<DoctorPart> parts = {clang_part(), sandbox_part(), gpu_part()};
  for (const auto& row : kPrograms) parts.push_back(program_part(row));
  parts.push_back(model_part());
  bool able = true;
  bool compiles = false;
  for (const auto& part : parts) {
    if (part.there && (part.name == "clang" || part.name == "nvcc")) compiles = true;
    if (part.needed && !part.there && part.name != "clang") able = false;
  }
  able = able && compiles;
  nlohmann::json list = nlohmann::json::array();
  for (const auto& part : parts) {
    list.push_back({{"part", part.name},
                    {"there", part.there},
                    {"found", part.found},
                    {"adds", part.adds},
                    {"remedy", part.remedy}});
    if (as_json) continue;
    std::printf("%s %-18s %s\n", part.there ? "[ok]     " : "[missing]", part.name.c_str(),
                part.there ? part.found.c_str() : ("would add: " + part.adds).c_str());
    if (!part.there) std::printf("          %-18s get it: %s\n", "", part.remedy.c_str());
  }
  if (as_json) {
    std::printf("%s\n", dump_json(list, 1).c_str());
  } else {
    std::printf("%s\n", able ? "Kernels can be judged here."
                             : "Kernels cannot be judged here yet: install what is missing above "
                               "(a compiler and a sandbox are needed).");
  }
  return able ? kOk : kBad;
}

}  // namespace

void add_doctor(CLI::App& verb, Action& action) {
  const auto as_json = std::make_shared<bool>(false);
  verb.add_flag("--json", *as_json, "as JSON");
  verb.callback([as_json, &action] { action = [as_json] { return examine(*as_json); }; });
}

}  // namespace warpwright::cli
