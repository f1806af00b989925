// SPDX-License-Identifier: Apache-2.0
#include "port/verify_cuda.h"

#include <sys/stat.h>

#include "base/files.h"
#include "base/process.h"
#include "base/swept_folder.h"
#include "flops/staging.h"
#include "port/hip_headers.h"
#include "port/outputs.h"

namespace warpwright::port {

namespace fs = std::filesystem;

namespace {

bool has_gpu() {
  std::error_code code;
  return fs::exists("/dev/nvidiactl", code) || fs::exists("/dev/nvidia0", code) ||
         fs::exists("/dev/nvhost-gpu", code);
}

/// What to compile for: the GPU of this machine, or code for all that came after a certain one.
Result<std::vector<std::string>> architecture(const StopSignal* stop) {
  const auto program = find_program("nvidia-smi");
  if (program.ok()) {
    Command command;
    command.argv = {program->string(), "--query-gpu=compute_cap", "--format=csv,noheader"};
    command.env = minimal_environment();
    command.limits.wall = std::chrono::seconds(30);
    WW_TRY(const ProcessExit exit, run_process(command, stop));
    const std::size_t dot = exit.out.find('.');
    if (exit.succeeded() && dot != std::string::npos && dot + 1 < exit.out.size())
      return std::vector<std::string>{"-arch=sm_" + exit.out.substr(0, dot) + exit.out[dot + 1]};
  }
  return std::vector<std::string>{"-gencode", "arch=compute_80,code=compute_80"};
}

/// A program, or what the compiler said.
struct Built {
  fs::path program;
  std::string error;
};

class GpuProver {
 public:
  GpuProver(const CarriedProject& project, const RunProof& proof, const PortTools& tools,
            const sandbox::Sandbox& sandbox, const StopSignal* stop, fs::path folder)
      : project_(project),
        proof_(proof),
        tools_(tools),
        sandbox_(sandbox),
        stop_(stop),
        folder_(std::move(folder)) {}

  Result<CudaVerdict> prove(Direction direction) {
    CudaVerdict verdict;
    const auto say = [&](const std::string& why, Hindrance hindrance = Hindrance::none) {
      verdict.notes.push_back("cuda: " + why);
      verdict.hindrance = hindrance;
      return verdict;
    };
    WW_CHECK(write_hip_headers(folder_ / "headers"));
    const bool hip_after = direction == Direction::to_hip;
    WW_TRY(const Built before, build(true, !hip_after));
    if (before.program.empty()) {
      return say("the original is not compiled: " + before.error, Hindrance::original);
    }
    WW_TRY(const Built after, build(false, hip_after));
    if (after.program.empty()) {
      return say("the port is not compiled: " + after.error, Hindrance::port_not_built);
    }
    WW_TRY(const ProcessExit expected, run(before.program, "first"));
    if (expected.timed_out) {
      return say("the original did not end: " + expected.describe(), Hindrance::original);
    }
    WW_TRY(const ProcessExit again, run(before.program, "again"));
    WW_TRY(const ProcessExit got, run(after.program, "port"));
    const auto stable = without_changing_parts(expected.out, again.out, got.out);
    if (!stable) return say("the original prints something else each time", Hindrance::original);
    verdict.same = expected.exit_code == got.exit_code && expected.signal == got.signal;
    if (!*verdict.same)
      return say("it ends with " + got.describe() + ", not with " + expected.describe());
    // The order in which a GPU adds is its own.
    const auto found = difference(stable->expected, stable->got,
                                  adds_atomically() ? Tolerance::sums : Tolerance::none);
    verdict.same = !found;
    return found ? say("it prints " + *found) : verdict;
  }

 private:
  [[nodiscard]] bool adds_atomically() const {
    for (const std::string& file : project_.files) {
      const auto text = read_file(project_.folder / file);
      if (text.ok() && text->find("atomic") != std::string::npos) return true;
    }
    return false;
  }

  Result<Built> build(bool before, bool hip) {
    flop::Sources sources;
    sources.cwd = before ? project_.root : project_.folder;
    for (const Unit& unit : project_.units) sources.files.push_back(before ? unit.from : unit.path);
    if (before) {
      sources.includes = project_.from_includes;
    } else {
      for (const std::string& each : project_.flags.includes) sources.includes.emplace_back(each);
    }
    const fs::path work = folder_ / (before ? "before" : "after");
    WW_CHECK(make_directories(work / "build"));
    ::chmod(work.c_str(), 0755);
    WW_TRY(sources, flop::readable_sources(sources, work / "sources"));
    std::vector<std::string> argv = {tools_.nvcc.string(),
                                     "-std=c++17",
                                     "-O3",
                                     "-w",
                                     "--expt-relaxed-constexpr",
                                     "--extended-lambda",
                                     "-DNVTX_DISABLE",
                                     "-ccbin",
                                     tools_.host_compiler.string()};
    WW_TRY(const std::vector<std::string> device, architecture(stop_));
    argv.insert(argv.end(), device.begin(), device.end());
    if (hip) argv.push_back("-I" + (folder_ / "headers").string());
    for (const std::string& define : project_.flags.defines) argv.push_back("-D" + define);
    for (const fs::path& each : sources.includes) argv.push_back("-I" + each.string());
    argv.insert(argv.end(), {"-x", "cu"});
    for (const fs::path& file : sources.files) argv.push_back(file.string());
    argv.insert(argv.end(), {"-o", "program"});
    WW_TRY(const ProcessExit exit, run_nvcc(std::move(argv), work, sources));
    Built built;
    if (exit.succeeded()) {
      built.program = work / "build" / "program";
    } else {
      const auto lines = error_lines(exit.err + "\n" + exit.out, 1);
      built.error = lines.empty() ? exit.describe() : lines.front();
    }
    return built;
  }

  Result<ProcessExit> run_nvcc(std::vector<std::string> argv, const fs::path& work,
                               const flop::Sources& sources) {
    sandbox::Request request;
    request.argv = std::move(argv);
    request.env = minimal_environment();
    request.cwd = work / "build";
    request.readable = {folder_ / "headers", tools_.nvcc.parent_path().parent_path(), sources.cwd};
    for (const fs::path& each : sources.includes) request.readable.push_back(each);
    std::erase_if(request.readable,
                  [](const fs::path& path) { return path.string().starts_with("/usr"); });
    request.writable = {work / "build"};
    request.limits.wall = std::chrono::minutes(5);
    request.limits.cpu_s = 300;
    request.limits.memory_bytes = std::uint64_t{16} << 30;
    return sandbox_.run(request, stop_);
  }

  Result<ProcessExit> run(const fs::path& program, const std::string& name) {
    Command command;
    command.argv = {program.string()};
    command.argv.insert(command.argv.end(), proof_.arguments.begin(), proof_.arguments.end());
    command.env = environment_subset({"PATH", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES"});
    WW_CHECK(make_directories(folder_ / "runs" / name));
    command.cwd = folder_ / "runs" / name / "work";
    WW_CHECK(flop::working_copy(project_.root, command.cwd));
    command.limits.wall = proof_.time_on_gpu;
    WW_TRY(ProcessExit exit, run_process(command, stop_));
    exit.out = without_own_path(std::move(exit.out), program.string());
    return exit;
  }

  const CarriedProject& project_;
  const RunProof& proof_;
  const PortTools& tools_;
  const sandbox::Sandbox& sandbox_;
  const StopSignal* stop_;
  fs::path folder_;
};

}  // namespace

Result<CudaVerdict> verify_on_gpu(const CarriedProject& project, Direction direction,
                                  const RunProof& proof, const PortTools& tools,
                                  const sandbox::Sandbox& sandbox, const StopSignal* stop) {
  CudaVerdict verdict;
  if (tools.nvcc.empty() || tools.host_compiler.empty()) {
    verdict.notes.emplace_back("cuda: there is no nvcc, or no g++: install a CUDA toolkit");
    verdict.hindrance = Hindrance::tools;
    return verdict;
  }
  if (!has_gpu()) {
    verdict.notes.emplace_back("cuda: there is no GPU of NVIDIA on this machine");
    verdict.hindrance = Hindrance::tools;
    return verdict;
  }
  WW_TRY(const SweptFolder folder, SweptFolder::create("warpwright-port-gpu-"));
  ::chmod(folder.path().c_str(), 0755);
  return GpuProver(project, proof, tools, sandbox, stop, folder.path()).prove(direction);
}

}  // namespace warpwright::port
