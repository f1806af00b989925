// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "base/files.h"
#include "base/stop.h"
#include "build/toolchain.h"
#include "cli/exit_codes.h"
#include "cli/verbs.h"
#include "cli/words.h"
#include "port/carry_ptx.h"
#include "port/report.h"
#include "port/verify_cpu.h"
#include "port/verify_cuda.h"

#ifndef WARPWRIGHT_WORKER_ONLY
#include "cli/port_search.h"
#endif

namespace warpwright::cli {

namespace {

struct PortFlags {
  std::string input, to, output, run, cache, host;
  std::vector<std::string> targets, verify;
  std::uint64_t budget = port::RunProof().budget;
  std::int64_t time_on_gpu = port::RunProof().time_on_gpu.count();
  bool json = false;
  bool through_ptx = false;
#ifndef WARPWRIGHT_WORKER_ONLY
  std::shared_ptr<SettingFlags> settings;
  std::string archive, resume;
#endif
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
  const bool ptx = flags.through_ptx || flags.input.ends_with(".ptx");
  if (ptx && !to_hip) return Error{"PTX is carried to HIP: --to hip"};
  if (!ptx && !flags.host.empty())
    return Error{"--host: the input is a program itself; --host belongs to a .ptx file"};
  if (flags.through_ptx && flags.input.ends_with(".ptx"))
    return Error{"--through-ptx: the input is PTX already"};
  return {};
}

void add(const std::vector<std::string>& notes, port::PortReport& report) {
  report.notes.insert(report.notes.end(), notes.begin(), notes.end());
}

/// Of a program, or of PTX where there is some.
Result<port::CpuVerdict> verdict_on_cpu(const PortFlags& flags, const port::RunProof& proof,
                                        const build::Builder& builder,
                                        const port::PortReport& report, const std::string* ptx) {
  if (ptx == nullptr) return port::verify_on_cpu(report.project, report.direction, proof, builder);
  const std::string& host = flags.through_ptx ? flags.input : flags.host;
  if (host.empty())
    return port::CpuVerdict{
        {}, {}, {"cpu: PTX is run by a program: name its CUDA source with --host"}};
  return port::verify_ptx_on_cpu({report.project, *ptx}, host, proof, builder);
}

/// `ptx` is what was carried over; null: sources were.
Status run_proofs(const PortFlags& flags, const sandbox::Sandbox& sandbox, port::PortReport& report,
                  const std::string* ptx) {
  for (const std::string& way : flags.verify)
    (way == "cpu" ? report.asked_cpu : report.asked_cuda) = true;
  port::RunProof proof;
  proof.budget = flags.budget;
  proof.time_on_gpu = std::chrono::seconds(flags.time_on_gpu);
  WW_TRY(proof.arguments, words_of(flags.run));
  if (report.asked_cpu) {
    WW_TRY(const build::Builder builder,
           build::Builder::create(sandbox, build::find_toolchain(), {.cache = flags.cache}));
    const auto verdict = verdict_on_cpu(flags, proof, builder, report, ptx);
    add(verdict.ok() ? verdict->notes : std::vector{"cpu: " + verdict.error().message}, report);
    if (verdict.ok()) {
      report.verified.wave32 = verdict->wave32;
      report.verified.wave64 = verdict->wave64;
    }
  }
  if (report.asked_cuda && ptx != nullptr) {
    report.notes.emplace_back("cuda: PTX runs on a GPU of NVIDIA as it is; verify it with cpu");
  } else if (report.asked_cuda) {
    const auto verdict = port::verify_on_gpu(report.project, report.direction, proof,
                                             port::find_port_tools(), sandbox);
    add(verdict.ok() ? verdict->notes : std::vector{"cuda: " + verdict.error().message}, report);
    if (verdict.ok()) report.verified.cuda = verdict->same;
  }
  return {};
}

std::string port_cache() {
  return (temporary_folder() / ("warpwright-flops-" + std::to_string(::getuid()))).string();
}

std::vector<std::string> targets_of(const PortFlags& flags) {
  if (!flags.targets.empty()) return flags.targets;
  return flags.to == "hip" ? kAmdTargets : kCudaTargets;
}

Status prove(const PortFlags& flags, port::PortReport& report, const std::string* ptx) {
  const std::vector<std::string> targets = targets_of(flags);
  const port::PortTools tools = port::find_port_tools();
  WW_TRY(const sandbox::Sandbox sandbox, sandbox::Sandbox::open());
  WW_TRY(report.compiled,
         port::compile_project(report.project, report.direction, targets, tools, sandbox, nullptr));
  for (const port::CompileOutcome& outcome : report.compiled)
    if (!outcome.compiles) report.notes.push_back(outcome.target + ": " + outcome.reason);
  return run_proofs(flags, sandbox, report, ptx);
}

/// The PTX that was carried over.
Result<std::string> carry_through_ptx(const PortFlags& flags, port::PortReport& report) {
  std::filesystem::path input = flags.input;
  if (flags.through_ptx) {
    WW_TRY(const sandbox::Sandbox sandbox, sandbox::Sandbox::open());
    WW_TRY(const build::Builder builder,
           build::Builder::create(sandbox, build::find_toolchain(), {.cache = flags.cache}));
    WW_TRY(input, port::ptx_of_program(input, flags.output, builder));
  }
  WW_TRY(port::CarriedPtx carried, port::carry_ptx(input, flags.output));
  report.project = std::move(carried.project);
  return std::move(carried.ptx);
}

#ifndef WARPWRIGHT_WORKER_ONLY
bool asks_a_model(const PortFlags& flags) {
  const auto settings = settings_from(*flags.settings);
  return settings.ok() && !settings->text("model.spec").empty();
}

Status check_model(const PortFlags& flags) {
  bool named = !flags.resume.empty();
  for (const auto& [key, value] : flags.settings->given) named = named || key == "model.spec";
  if (named && flags.verify.empty())
    return Error{"--model needs --verify cpu or cuda: that a file compiles proves nothing"};
  if (named && (flags.through_ptx || flags.input.ends_with(".ptx")))
    return Error{"--model: what is made of PTX is not written anew"};
  return {};
}

/// Where rules did not suffice, a model is asked; what it found is proven again as it lies there.
Result<bool> mend(const PortFlags& flags, port::PortReport& report) {
  PortSearch search;
  search.proof.project = report.project;
  search.proof.direction = report.direction;
  search.proof.targets = targets_of(flags);
  search.proof.on_cpu = report.asked_cpu;
  search.proof.on_cuda = report.asked_cuda;
  search.proof.run.budget = flags.budget;
  search.proof.run.time_on_gpu = std::chrono::seconds(flags.time_on_gpu);
  WW_TRY(search.proof.run.arguments, words_of(flags.run));
  search.settings = flags.settings;
  search.archive = flags.archive;
  search.resume = flags.resume;
  search.cache = flags.cache;
  search.quiet = flags.json;
  WW_TRY(const PortMended mended, mend_port(std::move(search), report));
  if (mended.source) {
    WW_CHECK(write_file(report.project.folder / mended.file, *mended.source));
    report.notes.clear();
    report.verified = {};
    WW_CHECK(prove(flags, report, nullptr));
  }
  add(mended.notes, report);
  return mended.waits;
}
#endif

Result<int> run_port(const PortFlags& flags) {
  WW_CHECK(check_words(flags));
#ifndef WARPWRIGHT_WORKER_ONLY
  WW_CHECK(check_model(flags));
#endif
  port::PortReport report;
  report.direction = flags.to == "hip" ? port::Direction::to_hip : port::Direction::to_cuda;
  std::optional<std::string> ptx;
  if (flags.through_ptx || flags.input.ends_with(".ptx")) {
    WW_TRY(ptx, carry_through_ptx(flags, report));
  } else {
    WW_TRY(report.project, port::carry_over({flags.input, flags.output, report.direction}));
  }
  WW_CHECK(prove(flags, report, ptx ? &*ptx : nullptr));
  bool waits = false;
#ifndef WARPWRIGHT_WORKER_ONLY
  const bool asked = !flags.verify.empty() && !ptx;
  if (asked && port::exit_code_of(report) != kOk && asks_a_model(flags)) {
    WW_TRY(waits, mend(flags, report));
  }
#endif
  std::fputs((flags.json ? port::port_json(report) : port::port_text(report)).c_str(), stdout);
  return waits ? kWaiting : port::exit_code_of(report);
}

}  // namespace

void add_port(CLI::App& verb, Action& action) {
  const auto flags = std::make_shared<PortFlags>();
  flags->cache = port_cache();
  verb.add_option("input", flags->input,
                  "a CUDA or HIP source, a .ptx file, or a folder with a program")
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
  verb.add_option("--host", flags->host,
                  "with a .ptx file: the CUDA source of a program that launches its kernels");
  verb.add_flag("--through-ptx", flags->through_ptx,
                "carry the PTX of a CUDA source over, not its text");
  verb.add_option("--budget", flags->budget, "warp instructions that a run on the CPU may take");
  verb.add_option("--time", flags->time_on_gpu, "seconds that a run on the GPU may take [300]")
      ->check(CLI::Range(1, 86400));
  verb.add_option("--cache", flags->cache, "folder for what is built once");
  verb.add_flag("--json", flags->json, "the report as JSON (docs/port.md)");
#ifndef WARPWRIGHT_WORKER_ONLY
  verb.add_option("--resume", flags->resume, "a run of --model to go on with");
  add_archive_option(verb, flags->archive);
  flags->settings =
      add_setting_flags(verb, {"model.", "limits.", "search.candidates", "search.repairs"});
#endif
  verb.callback([flags, &action] {
    action = [flags] {
      const auto code = run_port(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace warpwright::cli
