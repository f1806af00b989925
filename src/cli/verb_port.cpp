// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "base/stop.h"
#include "cli/exit_codes.h"
#include "cli/verbs.h"
#include "port/report.h"

namespace warpwright::cli {

namespace {

struct PortFlags {
  std::string input, to, output, run;
  std::vector<std::string> targets, verify;
  bool json = false;
};

const std::vector<std::string> kAmdTargets = {"gfx90a", "gfx1030", "gfx1100", "gfx942"};
const std::vector<std::string> kCudaTargets = {"sm_80"};

Status check_words(const PortFlags& flags) {
  const bool to_hip = flags.to == "hip";
  for (const std::string& target : flags.targets)
    if (!target.starts_with(to_hip ? "gfx" : "sm_"))
      return Error{"--targets: " + target + " is no device to compile for; after --to " + flags.to +
                   " write " + (to_hip ? "gfx90a" : "sm_80") + " or its like"};
  for (const std::string& way : flags.verify)
    if (way != "cpu" && way != "cuda")
      return Error{"--verify: there is no way \"" + way + "\"; choose cpu, cuda or both"};
  return {};
}

Status prove(const PortFlags& flags, port::PortReport& report) {
  std::vector<std::string> targets = flags.targets;
  if (targets.empty()) targets = flags.to == "hip" ? kAmdTargets : kCudaTargets;
  const port::PortTools tools = port::find_port_tools();
  WW_TRY(const sandbox::Sandbox sandbox, sandbox::Sandbox::open());
  WW_TRY(report.compiled,
         port::compile_project(report.project, report.direction, targets, tools, sandbox, nullptr));
  for (const port::CompileOutcome& outcome : report.compiled)
    if (!outcome.compiles) report.notes.push_back(outcome.target + ": " + outcome.reason);
  for (const std::string& way : flags.verify) {
    (way == "cpu" ? report.asked_cpu : report.asked_cuda) = true;
    report.notes.push_back("--verify " + way + ": nothing was run, " +
                           (way == "cpu"
                                ? "there is no machine for wavefronts in this version"
                                : "there is no runner for GPUs of NVIDIA in this version"));
  }
  return {};
}

Result<int> run_port(const PortFlags& flags) {
  WW_CHECK(check_words(flags));
  port::PortReport report;
  report.direction = flags.to == "hip" ? port::Direction::to_hip : port::Direction::to_cuda;
  WW_TRY(report.project, port::carry_over({flags.input, flags.output, report.direction}));
  WW_CHECK(prove(flags, report));
  std::fputs((flags.json ? port::port_json(report) : port::port_text(report)).c_str(), stdout);
  return port::exit_code_of(report);
}

}  // namespace

void add_port(CLI::App& verb, Action& action) {
  const auto flags = std::make_shared<PortFlags>();
  verb.add_option("input", flags->input, "a CUDA or HIP source, or a folder with a program")
      ->required();
  verb.add_option("--to", flags->to, "hip or cuda: the platform to carry it to")
      ->required()
      ->check(CLI::IsMember({"hip", "cuda"}));
  verb.add_option("-o,--output", flags->output,
                  "folder to write to; for one source also a file name")
      ->required();
  verb.add_option("--targets", flags->targets,
                  "devices to compile for [gfx90a,gfx1030,gfx1100,gfx942; sm_80 after --to cuda]")
      ->delimiter(',');
  verb.add_option("--run", flags->run, "arguments of the program when it is run to verify it");
  verb.add_option("--verify", flags->verify,
                  "cpu, cuda or both: run it and compare with the original")
      ->delimiter(',');
  verb.add_flag("--json", flags->json, "the report as JSON (docs/port.md)");
  verb.callback([flags, &action] {
    action = [flags] {
      const auto code = run_port(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace warpwright::cli
