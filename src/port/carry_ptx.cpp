// SPDX-License-Identifier: Apache-2.0
#include "port/carry_ptx.h"

#include <sys/stat.h>

#include "base/files.h"
#include "base/swept_folder.h"
#include "flops/exact_run.h"
#include "flops/program.h"
#include "flops/staging.h"
#include "flops/targets.h"
#include "port/build_flags.h"
#include "port/compare_runs.h"
#include "port/hip_headers.h"
#include "port/ptx_program.h"
#include "port/translate.h"

namespace warpwright::port {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLargestPtx = std::size_t{64} << 20;
constexpr std::uint64_t kKeptPtxBytes = std::uint64_t{256} << 20;
constexpr int kWaves[] = {32, 64};

Result<flop::ProgramRequest> request_for(const fs::path& source, const fs::path& copies) {
  flop::Sources sources;
  sources.cwd = source.parent_path();
  sources.files = {source};
  const BuildFlags flags = build_flags_in(sources.cwd);
  std::error_code code;
  for (const std::string& each : flags.includes) {
    const fs::path folder = (sources.cwd / each).lexically_normal();
    if (fs::is_directory(folder, code)) sources.includes.push_back(folder);
  }
  WW_TRY(sources, flop::readable_sources(sources, copies));
  flop::ProgramRequest request;
  request.files = sources.files;
  request.includes = sources.includes;
  request.includes.push_back(sources.cwd);
  request.defines = flags.defines;
  request.limits.wall = std::chrono::minutes(10);  // a busy machine
  WW_TRY(request.target, flop::target_named("sm_80"));
  return request;
}

class PtxProver {
 public:
  PtxProver(const CarriedPtx& carried, const RunProof& proof, const build::Builder& builder,
            const StopSignal* stop, fs::path folder)
      : carried_(carried),
        proof_(proof),
        builder_(builder),
        stop_(stop),
        folder_(std::move(folder)) {}

  Result<CpuVerdict> prove(const fs::path& host) {
    CpuVerdict verdict;
    WW_CHECK(write_hip_headers(folder_ / "headers"));
    WW_TRY(const fs::path copies, new_folder("host"));
    WW_TRY(const auto request, request_for(host, copies));
    WW_TRY(const fs::path work, new_folder("program"));
    WW_TRY(flop::BuiltProgram program, flop::build_program(builder_, request, work, stop_));
    if (!program.ok || program.ptx.size() != 1) {
      verdict.notes.push_back("cpu: the program that launches the kernels " +
                              (program.ok ? "has device code in several files" : program.reason));
      return verdict;
    }
    root_ = host.parent_path();
    program.ptx = {carried_.ptx};
    WW_TRY(const flop::ExactRun expected, run(program, 0));
    if (const std::string why = missing_of(expected); !why.empty()) {
      verdict.notes.push_back("cpu: the CUDA program: " + why);
      return verdict;
    }
    if (const std::string crash = crash_of(expected); !crash.empty()) {
      verdict.notes.push_back("cpu: the CUDA program: " + crash);
      return verdict;
    }
    WW_TRY(verdict.wave32, judge(program, expected, 0, verdict.notes));
    WW_TRY(verdict.wave64, judge(program, expected, 1, verdict.notes));
    return verdict;
  }

 private:
  Result<fs::path> new_folder(const std::string& name) {
    const fs::path folder = folder_ / (std::to_string(made_++) + "_" + name);
    WW_CHECK(make_directories(folder));
    ::chmod(folder.c_str(), 0755);
    return folder;
  }

  /// What clang makes of the HIP source for the machine.
  Result<flop::BuiltProgram> compile(int lanes) {
    WW_TRY(const fs::path unit, new_folder("unit"));
    for (const CompatibilityFile& file : compatibility_files(Direction::to_hip))
      WW_CHECK(write_readable(unit / file.name, file.content));
    WW_TRY(const std::string source, read_file(carried_.project.units[0].path, kLargestPtx));
    WW_CHECK(write_readable(unit / "kernels.cu", source));
    WW_TRY(const fs::path copies, new_folder("copies"));
    WW_TRY(auto request, request_for(unit / "kernels.cu", copies));
    request.front_end = build::FrontEnd::clang;
    request.includes.insert(request.includes.begin(), folder_ / "headers");
    request.defines = {"WW_WAVE_SIZE=" + std::to_string(lanes)};
    WW_TRY(const fs::path work, new_folder("compiled"));
    return flop::compile_device_code(builder_, request, work, stop_);
  }

  static Status write_readable(const fs::path& path, const std::string& text) {
    WW_CHECK(write_file(path, text));
    ::chmod(path.c_str(), 0644);
    return {};
  }

  Result<flop::ExactRun> run(const flop::BuiltProgram& program, int lanes) {
    flop::ExactRequest request;
    request.checks = simt::Checks::full;
    request.budget = proof_.budget;
    request.kept_bytes = kKeptPtxBytes;
    request.run.arguments = proof_.arguments;
    request.run.time = std::chrono::minutes(10);
    WW_TRY(request.run.target, flop::target_named("sm_80"));
    if (lanes != 0) request.run.target.warp_size = lanes;
    WW_TRY(const fs::path parent, new_folder("run"));
    request.run.may_write = flop::working_copy(root_, parent / "work").ok();
    request.run.cwd = request.run.may_write ? parent / "work" : root_;
    return flop::run_exactly(builder_.sandbox(), program, request, stop_);
  }

  [[nodiscard]] std::string missing_of(const flop::ExactRun& run) const {
    if (run.over_budget)
      return "takes more than " + std::to_string(proof_.budget) +
             " warp instructions; give it less work with --run, or allow more with --budget";
    if (run.exit.timed_out) return "did not end within its time";
    if (!run.missing.empty() && run.launches == 0)
      return "needs what is not there: " + run.missing.front();
    return {};
  }

  /// Nothing where it could not be run.
  Result<std::optional<bool>> judge(const flop::BuiltProgram& original,
                                    const flop::ExactRun& expected, std::size_t which,
                                    std::vector<std::string>& notes) {
    const int lanes = kWaves[which];
    const auto say = [&](const std::string& text) {
      notes.push_back("cpu, wavefronts of " + std::to_string(lanes) + ": " + text);
    };
    WW_TRY(const flop::BuiltProgram compiled, compile(lanes));
    if (!compiled.ok || compiled.ptx.size() != 1) {
      say("cannot be built for the CPU: " + compiled.reason + " " + compiled.detail.substr(0, 400));
      return std::optional<bool>();
    }
    // The same code does the same.
    if (which > 0 && compiled.ptx == narrow_) return first_;
    if (which == 0) narrow_ = compiled.ptx;
    flop::BuiltProgram program = original;
    program.ptx = compiled.ptx;
    WW_TRY(const flop::ExactRun got, run(program, lanes));
    if (const std::string why = missing_of(got); !why.empty()) {
      say(why);
      return std::optional<bool>();
    }
    const bool sums = adds_in_any_order(original);
    auto found = run_difference(expected, got, sums ? Tolerance::sums : Tolerance::none);
    for (const simt::FaultKind kind : got.kinds)
      if (!found && !expected.kinds.contains(kind) && !is_fault_of_warps(kind))
        found = "a fault that the PTX does not have: " + got.faults.front();
    if (found) say(*found);
    const std::optional<bool> same(!found);
    if (which == 0) first_ = same;
    return same;
  }

  const CarriedPtx& carried_;
  const RunProof& proof_;
  const build::Builder& builder_;
  const StopSignal* stop_;
  fs::path folder_, root_;
  int made_ = 0;
  std::vector<std::string> narrow_;
  std::optional<bool> first_;
};

}  // namespace

Result<CarriedPtx> carry_ptx(const fs::path& input, const fs::path& output) {
  CarriedPtx carried;
  WW_TRY(carried.ptx, read_file(input, kLargestPtx));
  WW_TRY(PtxProgram program, ptx_as_hip(carried.ptx, input.filename().string()));
  CarriedProject& project = carried.project;
  project.root = absolute_path(input).parent_path();
  project.folder = absolute_path(output);
  project.keeps_objects = true;
  WW_CHECK(make_directories(project.folder));
  for (const CompatibilityFile& file : compatibility_files(Direction::to_hip))
    WW_CHECK(write_file(project.folder / file.name, file.content));
  const std::string name = input.stem().string() + ".hip";
  WW_CHECK(write_file(project.folder / name, program.source));
  project.units = {{project.folder / name, name, absolute_path(input), true}};
  project.files = {name};
  project.findings = std::move(program.findings);
  return carried;
}

Result<fs::path> ptx_of_program(const fs::path& source, const fs::path& output,
                                const build::Builder& builder, const StopSignal* stop) {
  WW_TRY(const SweptFolder folder, SweptFolder::create("warpwright-port-ptx-"));
  ::chmod(folder.path().c_str(), 0755);
  for (const char* name : {"copies", "work"}) {
    WW_CHECK(make_directories(folder.path() / name));
    ::chmod((folder.path() / name).c_str(), 0755);
  }
  WW_TRY(const auto request, request_for(absolute_path(source), folder.path() / "copies"));
  WW_TRY(const auto program,
         flop::compile_device_code(builder, request, folder.path() / "work", stop));
  if (!program.ok) return Error{"'" + source.string() + "' is not compiled: " + program.reason};
  if (program.ptx.size() != 1) return Error{"'" + source.string() + "' has no device code"};
  WW_CHECK(make_directories(output));
  const fs::path file = output / (source.stem().string() + ".ptx");
  WW_CHECK(write_file(file, program.ptx[0]));
  return file;
}

Result<CpuVerdict> verify_ptx_on_cpu(const CarriedPtx& carried, const fs::path& host,
                                     const RunProof& proof, const build::Builder& builder,
                                     const StopSignal* stop) {
  if (!builder.tools().supports(build::FrontEnd::clang))
    return CpuVerdict{{},
                      {},
                      {"cpu: there is no clang 17 or newer, which compiles HIP for the CPU"},
                      Hindrance::tools};
  WW_TRY(const SweptFolder folder, SweptFolder::create("warpwright-port-run-"));
  ::chmod(folder.path().c_str(), 0755);
  return PtxProver(carried, proof, builder, stop, folder.path()).prove(absolute_path(host));
}

}  // namespace warpwright::port
