// SPDX-License-Identifier: Apache-2.0
#include "port/prove.h"

#include <algorithm>
#include <cstdlib>

#include "base/files.h"
#include "base/process.h"
#include "base/text.h"
#include "build/toolchain.h"

namespace warpwright::port {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostErrors = 8;
constexpr std::size_t kLargestObject = std::size_t{256} << 20;

sandbox::Limits compile_limits() {
  sandbox::Limits limits;
  limits.wall = std::chrono::minutes(5);
  limits.cpu_s = 300;
  limits.memory_bytes = std::uint64_t{8} << 30;
  return limits;
}

/// The number that the device libraries know an instruction set by: gfx90a is 9010.
std::optional<int> isa_number(std::string_view target) {
  if (!target.starts_with("gfx") || target.size() < 6) return std::nullopt;
  const auto digit = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  const int stepping = digit(target.back());
  const int minor = digit(target[target.size() - 2]);
  const int major = std::atoi(std::string(target.substr(3, target.size() - 5)).c_str());
  if (stepping < 0 || minor < 0 || major <= 0) return std::nullopt;
  return major * 1000 + minor * 100 + stepping;
}

/// A folder of device libraries that has the target. Libraries that are older than the target lack
/// the one file that names its instruction set; it holds one number, which is written here.
class DeviceLibraries {
 public:
  DeviceLibraries(const PortTools& tools, const sandbox::Sandbox& sandbox, const StopSignal* stop)
      : tools_(tools), sandbox_(sandbox), stop_(stop) {}

  Result<fs::path> folder_for(const std::string& target) {
    const std::string file = "oclc_isa_version_" + target.substr(3) + ".bc";
    std::error_code code;
    if (fs::exists(tools_.device_libraries / file, code)) return tools_.device_libraries;
    const auto number = isa_number(target);
    if (!number) return Error{target + " is no name of an AMD device"};
    if (!own_) {
      WW_TRY(TemporaryDirectory folder, TemporaryDirectory::create("warpwright-amdgcn"));
      own_ = std::make_unique<TemporaryDirectory>(std::move(folder));
      WW_CHECK(make_directories(own_->path() / "bitcode"));
      for (const auto& entry : fs::directory_iterator(tools_.device_libraries, code))
        fs::create_symlink(entry.path(), own_->path() / "bitcode" / entry.path().filename(), code);
    }
    WW_CHECK(write_number(*number, file));
    return own_->path() / "bitcode";
  }

  [[nodiscard]] std::vector<fs::path> folders() const {
    return own_ ? std::vector<fs::path>{own_->path() / "bitcode"} : std::vector<fs::path>{};
  }

 private:
  Status write_number(int number, const std::string& file) {
    // As root each run in the sandbox is another user, who cannot change what the one before wrote.
    const fs::path work = own_->path() / ("work_" + std::to_string(number));
    WW_CHECK(make_directories(work));
    WW_CHECK(write_file(work / "isa.ll",
                        "target triple = \"amdgcn-amd-amdhsa\"\n"
                        "@__oclc_ISA_version = linkonce_odr hidden local_unnamed_addr addrspace(4) "
                        "constant i32 " +
                            std::to_string(number) + ", align 4\n"));
    sandbox::Request request;
    request.argv = {tools_.clang.string(),
                    "--target=amdgcn-amd-amdhsa",
                    "-nogpulib",
                    "-x",
                    "ir",
                    "-emit-llvm",
                    "-c",
                    "isa.ll",
                    "-o",
                    "isa.bc"};
    request.env = minimal_environment();
    request.cwd = work;
    request.writable = {work};
    request.limits = compile_limits();
    WW_TRY(const ProcessExit exit, sandbox_.run(request, stop_));
    if (!exit.succeeded()) return Error{"clang made no device library: " + exit.describe()};
    WW_TRY(const std::string content, read_file(work / "isa.bc"));
    return write_file(own_->path() / "bitcode" / file, content);
  }

  const PortTools& tools_;
  const sandbox::Sandbox& sandbox_;
  const StopSignal* stop_;
  std::unique_ptr<TemporaryDirectory> own_;
};

class Prover {
 public:
  Prover(const CarriedProject& project, const PortTools& tools, const sandbox::Sandbox& sandbox,
         const StopSignal* stop)
      : project_(project),
        tools_(tools),
        sandbox_(sandbox),
        stop_(stop),
        libraries_(tools, sandbox, stop) {}

  Result<std::vector<CompileOutcome>> to_hip(const std::vector<std::string>& targets) {
    std::vector<CompileOutcome> outcomes;
    const std::string missing = missing_for_hip();
    for (const std::string& target : targets) {
      CompileOutcome outcome;
      outcome.target = target;
      if (!missing.empty()) {
        outcome.reason = missing;
      } else {
        WW_CHECK(compile_for(target, outcome));
      }
      outcomes.push_back(std::move(outcome));
    }
    return outcomes;
  }

  Result<std::vector<CompileOutcome>> to_cuda(const std::vector<std::string>& targets) {
    std::vector<CompileOutcome> outcomes;
    for (const std::string& target : targets) {
      CompileOutcome outcome;
      outcome.target = target;
      if (tools_.nvcc.empty() || tools_.host_compiler.empty()) {
        outcome.reason = "no nvcc, or no g++: install a CUDA toolkit";
      } else {
        outcome.compiles = true;
        for (const Unit& unit : project_.units) WW_CHECK(run_nvcc(unit, target, outcome));
      }
      outcomes.push_back(std::move(outcome));
    }
    return outcomes;
  }

 private:
  [[nodiscard]] std::string missing_for_hip() const {
    constexpr const char* kInstall =
        ": apt-get install clang-19 lld-19 libamdhip64-dev "
        "rocm-device-libs";
    if (tools_.clang.empty()) return std::string("no clang") + kInstall;
    if (tools_.hip_include.empty()) return std::string("no headers of HIP") + kInstall;
    if (tools_.device_libraries.empty())
      return std::string("no device libraries of ROCm") + kInstall;
    return {};
  }

  Status compile_for(const std::string& target, CompileOutcome& outcome) {
    auto libraries = libraries_.folder_for(target);
    if (!libraries.ok()) {
      outcome.reason = libraries.error().message;
      return {};
    }
    WW_CHECK(check_host());
    outcome.compiles = host_.compiles;
    outcome.errors = host_.errors;
    outcome.lacks_header = host_.lacks_header;
    if (!*host_.compiles) return {};
    for (const Unit& unit : project_.units)
      if (unit.device) WW_CHECK(compile_device(unit, target, *libraries, outcome));
    return {};
  }

  [[nodiscard]] std::vector<std::string> common_arguments(const Unit& unit) const {
    const bool c = unit.path.extension() == ".c" && !unit.device;
    std::vector<std::string> argv = {tools_.clang.string()};
    if (!c) argv.emplace_back("--driver-mode=g++");
    argv.insert(argv.end(), {"-x", c ? "c" : unit.device ? "hip" : "c++"});
    if (!c) argv.push_back("-std=" + standard());
    // Hosts of AMD devices have signed characters, whatever this machine has.
    argv.insert(argv.end(),
                {"-O3", "-w", "-fsigned-char", "-D__HIP_PLATFORM_AMD__", "-fno-color-diagnostics",
                 "-fno-caret-diagnostics", "-ferror-limit=20"});
    for (const std::string& define : project_.flags.defines) argv.push_back("-D" + define);
    for (const std::string& folder : project_.flags.includes) argv.push_back("-I" + folder);
    if (tools_.hip_include != "/usr/include") argv.push_back("-I" + tools_.hip_include.string());
    return argv;
  }

  /// At least C++17, which the compatibility header needs.
  [[nodiscard]] std::string standard() const {
    const std::string& asked = project_.flags.standard;
    return asked.find("20") != std::string::npos || asked.find("23") != std::string::npos ? asked
                                                                                          : "c++17";
  }

  /// The host's half is the same for all targets.
  Status check_host() {
    if (host_.compiles) return {};
    host_.compiles = true;
    for (const Unit& unit : project_.units) {
      std::vector<std::string> argv = common_arguments(unit);
      if (unit.device) argv.insert(argv.end(), {"--offload-host-only", "-nogpulib"});
      argv.insert(argv.end(), {"-fsyntax-only", unit.path.string()});
      WW_TRY(const ProcessExit exit, run(std::move(argv)));
      note_errors(exit, unit, host_);
    }
    return {};
  }

  Status compile_device(const Unit& unit, const std::string& target, const fs::path& libraries,
                        CompileOutcome& outcome) {
    std::vector<std::string> argv = common_arguments(unit);
    argv.insert(
        argv.end(),
        {"--offload-device-only", "--no-gpu-bundle-output", "--offload-arch=" + target,
         "--rocm-device-lib-path=" + libraries.string(), "-Rpass-analysis=kernel-resource-usage",
         tools_.linker ? "-c" : "-S", unit.path.string(), "-o", "unit.o"});
    fs::path kept;
    if (project_.keeps_objects && tools_.linker)
      kept = fs::path(unit.path).replace_extension("." + target + ".o");
    WW_TRY(const ProcessExit exit, run(std::move(argv), kept));
    note_errors(exit, unit, outcome);
    for (KernelResources& kernel : parse_amd_resources(exit.err))
      outcome.kernels.push_back(std::move(kernel));
    return {};
  }

  Status run_nvcc(const Unit& unit, const std::string& target, CompileOutcome& outcome) {
    std::vector<std::string> argv = {
        tools_.nvcc.string(),         "-std=" + standard(), "-arch=" + target, "-w",
        "--expt-relaxed-constexpr",   "--extended-lambda",  "-DNVTX_DISABLE",  "-ccbin",
        tools_.host_compiler.string()};
    if (unit.device) argv.insert(argv.end(), {"-x", "cu"});
    for (const std::string& define : project_.flags.defines) argv.push_back("-D" + define);
    for (const std::string& folder : project_.flags.includes) argv.push_back("-I" + folder);
    argv.insert(argv.end(), {"-c", unit.path.string(), "-o", "unit.o"});
    WW_TRY(const ProcessExit exit, run(std::move(argv)));
    note_errors(exit, unit, outcome);
    return {};
  }

  static void note_errors(const ProcessExit& exit, const Unit& unit, CompileOutcome& outcome) {
    if (exit.succeeded()) return;
    outcome.compiles = false;
    std::vector<std::string> errors = error_lines(exit.err + "\n" + exit.out, kMostErrors);
    if (errors.empty())
      errors.push_back(unit.name + ": the compiler ended with " + exit.describe());
    for (std::string& line : errors) {
      const bool header = line.find("file not found") != std::string::npos ||
                          line.find("No such file or directory") != std::string::npos;
      outcome.lacks_header = outcome.lacks_header || header;
      if (outcome.errors.size() < kMostErrors) outcome.errors.push_back(std::move(line));
    }
  }

  /// `kept` is where a made object goes; empty: nowhere.
  Result<ProcessExit> run(std::vector<std::string> argv, const fs::path& kept = {}) {
    WW_TRY(const TemporaryDirectory work, TemporaryDirectory::create("warpwright-port"));
    sandbox::Request request;
    request.argv = std::move(argv);
    request.env = minimal_environment();
    request.cwd = work.path();
    request.readable = libraries_.folders();
    request.readable.push_back(project_.folder);
    request.readable.push_back(tools_.device_libraries);
    if (!tools_.hip_include.empty()) request.readable.push_back(tools_.hip_include);
    if (!tools_.nvcc.empty()) request.readable.push_back(tools_.nvcc.parent_path().parent_path());
    std::erase_if(request.readable, [](const fs::path& path) {
      return path.empty() || path.string().starts_with("/usr");
    });
    request.writable = {work.path()};
    request.limits = compile_limits();
    WW_TRY(ProcessExit exit, sandbox_.run(request, stop_));
    if (!kept.empty() && exit.succeeded()) {
      WW_TRY(const std::string object, read_file(work.path() / "unit.o", kLargestObject));
      WW_CHECK(write_file(kept, object));
    }
    return exit;
  }

  const CarriedProject& project_;
  const PortTools& tools_;
  const sandbox::Sandbox& sandbox_;
  const StopSignal* stop_;
  DeviceLibraries libraries_;
  CompileOutcome host_;
};

fs::path first_existing(const std::vector<fs::path>& candidates, const char* file) {
  std::error_code code;
  for (const fs::path& folder : candidates)
    if (fs::exists(folder / file, code)) return folder;
  return {};
}

struct FigureRow {
  std::string_view label;
  std::string_view name;
};

constexpr FigureRow kFigures[] = {
    {"SGPRs: ", "sgprs"},
    {"VGPRs: ", "vgprs"},
    {"AGPRs: ", "agprs"},
    {"ScratchSize [bytes/lane]: ", "scratch_bytes"},
    {"Occupancy [waves/SIMD]: ", "occupancy"},
    {"SGPRs Spill: ", "sgpr_spills"},
    {"VGPRs Spill: ", "vgpr_spills"},
    {"LDS Size [bytes/block]: ", "lds_bytes"},
};

}  // namespace

PortTools find_port_tools() {
  PortTools tools;
  const build::Toolchain found = build::find_toolchain();
  tools.clang = found.clang.path;
  tools.clang_major = found.clang.major;
  tools.nvcc = found.nvcc.path;
  tools.host_compiler = found.host.path;
  for (const std::string& name : {"lld-" + std::to_string(tools.clang_major), std::string("lld")})
    tools.linker = tools.linker || find_program(name).ok();
  tools.hip_include = first_existing({"/usr/include", "/opt/rocm/include"}, "hip/hip_runtime.h");
  tools.device_libraries = first_existing(
      {"/usr/lib/x86_64-linux-gnu/amdgcn/bitcode", "/usr/lib/aarch64-linux-gnu/amdgcn/bitcode",
       "/usr/lib/amdgcn/bitcode", "/opt/rocm/amdgcn/bitcode"},
      "ocml.bc");
  return tools;
}

Result<std::vector<CompileOutcome>> compile_project(
    const CarriedProject& project, Direction direction, const std::vector<std::string>& targets,
    const PortTools& tools, const sandbox::Sandbox& sandbox, const StopSignal* stop) {
  Prover prover(project, tools, sandbox, stop);
  return direction == Direction::to_hip ? prover.to_hip(targets) : prover.to_cuda(targets);
}

std::vector<KernelResources> parse_amd_resources(std::string_view text) {
  constexpr std::string_view kName = "Function Name: ";
  std::vector<KernelResources> kernels;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t remark = line.find("remark: ");
    if (remark == std::string_view::npos) continue;
    const std::string_view said = trimmed(line.substr(remark + 8));
    if (said.starts_with(kName)) {
      const std::string_view name = said.substr(kName.size());
      kernels.push_back({std::string(name.substr(0, name.find(' '))), {}});
    }
    if (kernels.empty()) continue;
    for (const FigureRow& row : kFigures)
      if (said.starts_with(row.label))
        kernels.back().figures[std::string(row.name)] =
            std::atoll(std::string(said.substr(row.label.size())).c_str());
  }
  return kernels;
}

std::vector<std::string> error_lines(std::string_view text, std::size_t most) {
  std::vector<std::string> lines;
  for (const std::string_view line : lines_of(text)) {
    const bool error = line.find("error: ") != std::string_view::npos ||
                       line.find("fatal ") != std::string_view::npos ||
                       line.find("error : ") != std::string_view::npos;
    if (error && lines.size() < most) lines.push_back(clean_utf8(shortened(line, 400)));
  }
  return lines;
}

}  // namespace warpwright::port
