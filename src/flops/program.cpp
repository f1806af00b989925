// SPDX-License-Identifier: Apache-2.0
#include "flops/program.h"

#include <sys/stat.h>

#include <algorithm>
#include <future>

#include "base/embedded.h"
#include "base/sha256.h"
#include "base/text.h"
#include "build/cache.h"
#include "build/front_ends.h"
#include "flops/messages.h"

namespace warpwright {
std::span<const EmbeddedFile> flops_runtime_sources();
}  // namespace warpwright

namespace warpwright::flop {

namespace fs = std::filesystem;

namespace {

using build::FrontEnd;

constexpr int kNewestForClang = 90;  // what clang 19 can name
constexpr int kNewestForNvcc = 121;

enum class Side { device, host };

/// One build under way.
struct Shop {
  const build::Builder& builder;
  const ProgramRequest& request;
  fs::path folder;
  fs::path runtime;
  fs::path libdevice;  ///< empty where there is none
  FrontEnd front_end;
  const StopSignal* stop;
};

bool is_cuda(const fs::path& file) { return file.extension() == ".cu"; }

fs::path full_path(const fs::path& path) {
  std::error_code code;
  const fs::path full = fs::canonical(path, code);
  return code ? fs::absolute(path) : full;
}

/// Folders that the compilers may read: of the sources, and those that were named.
std::vector<fs::path> source_folders(const ProgramRequest& request) {
  std::vector<fs::path> folders;
  for (const fs::path& file : request.files) folders.push_back(full_path(file).parent_path());
  for (const fs::path& include : request.includes) folders.push_back(full_path(include));
  std::sort(folders.begin(), folders.end());
  folders.erase(std::unique(folders.begin(), folders.end()), folders.end());
  return folders;
}

Result<ProcessExit> run_tool(const Shop& shop, const fs::path& folder,
                             std::vector<std::string> argv) {
  sandbox::Request request;
  request.argv = std::move(argv);
  request.env = minimal_environment();
  request.cwd = folder;
  request.readable = shop.builder.tools().folders();
  for (const fs::path& each : source_folders(shop.request)) request.readable.push_back(each);
  request.readable.push_back(shop.builder.headers());
  request.readable.push_back(shop.runtime);
  request.readable.push_back(shop.folder);
  request.writable = {folder};
  request.limits = shop.request.limits;
  return shop.builder.sandbox().run(request, shop.stop);
}

Result<fs::path> new_folder(const Shop& shop, const std::string& name) {
  const fs::path folder = shop.folder / name;
  WW_CHECK(make_directories(folder));
  return folder;
}

void add_search(const ProgramRequest& request, std::vector<std::string>& argv) {
  for (const fs::path& include : request.includes)
    argv.push_back("-I" + full_path(include).string());
  for (const std::string& define : request.defines) argv.push_back("-D" + define);
}

std::vector<std::string> clang_flags(const Shop& shop, const fs::path& file, Side side) {
  const build::Toolchain& tools = shop.builder.tools();
  std::vector<std::string> argv = {tools.clang.path.string(),
                                   "-O3",
                                   "-gline-tables-only",
                                   "-fno-caret-diagnostics",
                                   "-fno-color-diagnostics",
                                   "-ferror-limit=20",
                                   "-w",
                                   "-I" + shop.builder.headers().string()};
  add_search(shop.request, argv);
  if (!is_cuda(file)) {
    if (file.extension() != ".c") argv.emplace_back("-std=c++17");
    return argv;
  }
  argv.insert(argv.end(),
              {"-x", "cuda", "-std=c++17", "-nocudainc", "-nocudalib", "--cuda-path=/nonexistent",
               "-Xclang", "-target-sdk-version=12.3", "-Wno-unknown-cuda-version",
               "-D__WW_ROOTS_OF_CLANG__", "-DWW_MANAGED_SHADOWS", "-include", "ww_prelude.h"});
  if (shop.request.fast_math)
    argv.insert(argv.end(), {"-ffast-math", "-fgpu-approx-transcendentals"});
  if (shop.request.rolled) argv.emplace_back("-fno-unroll-loops");
  if (side == Side::host) {
    argv.emplace_back("--cuda-host-only");
    return argv;
  }
  const bool newer = tools.clang.major >= 18;
  const int arch = build::architecture(shop.request.target, kNewestForClang);
  argv.insert(argv.end(), {"--cuda-device-only", "--cuda-gpu-arch=sm_" + std::to_string(arch),
                           std::string("--cuda-feature=+") + (newer ? "ptx83" : "ptx80")});
  if (!shop.libdevice.empty())
    argv.insert(argv.end(),
                {"-Xclang", "-mlink-builtin-bitcode", "-Xclang", shop.libdevice.string()});
  return argv;
}

/// The device part of a file as PTX.
Result<ProcessExit> clang_device(const Shop& shop, const fs::path& file, const fs::path& folder) {
  std::vector<std::string> argv = clang_flags(shop, file, Side::device);
  argv.insert(argv.end(), {"-S", full_path(file).string(), "-o", "device.ptx"});
  return run_tool(shop, folder, std::move(argv));
}

/// The host part; where its device image would be, there is the number of its module.
Result<ProcessExit> clang_host(const Shop& shop, const fs::path& file, const fs::path& folder,
                               std::size_t module) {
  WW_CHECK(write_file(folder / "module", "ww_module " + std::to_string(module) + "\n"));
  std::vector<std::string> argv = clang_flags(shop, file, Side::host);
  if (is_cuda(file))
    argv.insert(argv.end(), {"-Xclang", "-fcuda-include-gpubinary", "-Xclang", "module"});
  argv.insert(argv.end(), {"-c", full_path(file).string(), "-o", "host.o"});
  return run_tool(shop, folder, std::move(argv));
}

/// One run of nvcc makes the PTX and the host object.
Result<ProcessExit> nvcc_both(const Shop& shop, const fs::path& file, const fs::path& folder) {
  const build::Toolchain& tools = shop.builder.tools();
  std::vector<std::string> argv = {tools.nvcc.path.string(),
                                   "-std=c++17",
                                   "-O3",
                                   "-w",
                                   "-lineinfo",
                                   "--expt-relaxed-constexpr",
                                   "--extended-lambda",
                                   "-ccbin",
                                   tools.host.path.string(),
                                   "-DNVTX_DISABLE",
                                   "--keep",
                                   "--keep-dir",
                                   folder.string()};
  add_search(shop.request, argv);
  if (is_cuda(file)) {
    const std::string arch =
        std::to_string(build::architecture(shop.request.target, kNewestForNvcc));
    // No machine code: ptxas would take a tenth of the time, and only the PTX is read.
    argv.insert(argv.end(), {"-gencode", "arch=compute_" + arch + ",code=compute_" + arch});
    if (shop.request.fast_math) argv.emplace_back("--use_fast_math");
  }
  argv.insert(argv.end(), {"-c", full_path(file).string(), "-o", "host.o"});
  return run_tool(shop, folder, std::move(argv));
}

BuiltProgram failure_of(const ProcessExit& exit, std::string_view tool, const fs::path& file) {
  BuiltProgram failed;
  failed.detail = shortened(exit.err + exit.out, 8000);
  failed.missing = missing_in(exit.err + "\n" + exit.out);
  constexpr int kCpuLimit = 24;  // SIGXCPU
  if (exit.timed_out || exit.signal == kCpuLimit) {
    failed.timed_out = true;
    failed.reason = std::string(tool) + " did not finish within the time limit";
  } else {
    const std::string first = first_error(exit.err + "\n" + exit.out);
    failed.reason = std::string(tool) + (file.empty() ? "" : " on " + file.filename().string()) +
                    ": " + (first.empty() ? exit.describe() : first);
  }
  return failed;
}

/// What one source became.
struct Piece {
  BuiltProgram failed;  ///< has a reason when it did
  std::string ptx;
  fs::path object;
};

Result<Piece> compile_by_clang(const Shop& shop, const fs::path& file, std::size_t module) {
  Piece piece;
  const std::string number = std::to_string(module);
  WW_TRY(const fs::path device_folder, new_folder(shop, "device" + number));
  WW_TRY(const fs::path host_folder, new_folder(shop, "host" + number));
  auto device_run = std::async(std::launch::async, [&]() -> Result<ProcessExit> {
    if (is_cuda(file)) return clang_device(shop, file, device_folder);
    ProcessExit nothing;
    nothing.exit_code = 0;
    return nothing;
  });
  auto host = clang_host(shop, file, host_folder, module);
  auto device = device_run.get();
  if (!device.ok()) return device.error();
  if (!host.ok()) return host.error();
  if (!device->succeeded()) {
    piece.failed = failure_of(*device, "clang", file);
  } else if (!host->succeeded()) {
    piece.failed = failure_of(*host, "clang", file);
  } else {
    piece.object = host_folder / "host.o";
    if (is_cuda(file)) {
      WW_TRY(piece.ptx, build::read_product(device_folder / "device.ptx"));
    }
  }
  return piece;
}

Result<Piece> compile_by_nvcc(const Shop& shop, const fs::path& file, std::size_t module) {
  Piece piece;
  WW_TRY(const fs::path folder, new_folder(shop, "nvcc" + std::to_string(module)));
  WW_TRY(const ProcessExit exit, nvcc_both(shop, file, folder));
  if (!exit.succeeded()) {
    piece.failed = failure_of(exit, "nvcc", file);
    return piece;
  }
  piece.object = folder / "host.o";
  if (is_cuda(file)) {
    WW_TRY(piece.ptx, build::read_product(folder / (file.stem().string() + ".ptx")));
  }
  return piece;
}

Result<BuiltProgram> link(const Shop& shop, const std::vector<Piece>& pieces) {
  const build::Toolchain& tools = shop.builder.tools();
  WW_TRY(const fs::path folder, new_folder(shop, "program"));
  std::vector<std::string> argv;
  if (shop.front_end == FrontEnd::clang) {
    argv = {tools.clang.path.string(), "--driver-mode=g++"};
  } else {
    argv = {tools.host.path.string()};
  }
  for (const Piece& piece : pieces) argv.push_back(piece.object.string());
  argv.insert(argv.end(), {"-o", "program", "-L" + shop.runtime.string(), "-l:libcudart.so",
                           "-Wl,-rpath," + shop.runtime.string(), "-lm", "-lpthread"});
  WW_TRY(const ProcessExit exit, run_tool(shop, folder, std::move(argv)));
  if (!exit.succeeded()) return failure_of(exit, "the linker", {});
  BuiltProgram built;
  built.ok = true;
  built.executable = folder / "program";
  for (const Piece& piece : pieces) built.ptx.push_back(piece.ptx);
  return built;
}

Status compile_runtime(const build::Builder& builder, FrontEnd front_end, const fs::path& folder) {
  const build::Toolchain& tools = builder.tools();
  for (const EmbeddedFile& file : flops_runtime_sources()) {
    const fs::path path = folder / fs::path(file.path).filename();
    WW_CHECK(write_file(path, file.content));
    ::chmod(path.c_str(), 0644);
  }
  const bool clang = front_end == FrontEnd::clang;
  sandbox::Request request;
  request.argv = {(clang ? tools.clang : tools.host).path.string()};
  if (clang) request.argv.emplace_back("--driver-mode=g++");
  const fs::path include = clang ? builder.headers() : tools.toolkit / "include";
  request.argv.insert(
      request.argv.end(),
      {"-std=c++17", "-O1", "-fPIC", "-shared", "-fvisibility=hidden", "-I" + include.string(),
       "all.cpp", "files.cpp", "missing.cpp", "tensor_maps.cpp", "-ldl", "-o", "libcudart.so"});
  request.env = minimal_environment();
  request.cwd = folder;
  request.readable = tools.folders();
  request.readable.push_back(builder.headers());
  request.writable = {folder};
  request.limits.wall = std::chrono::minutes(10);
  WW_TRY(const ProcessExit exit, builder.sandbox().run(request));
  if (exit.succeeded()) return {};
  return Error{"cannot compile the runtime for whole programs with " + request.argv[0] + " (" +
               exit.describe() + "): " + shortened(exit.err, 2000)};
}

Result<fs::path> runtime_folder(const build::Builder& builder, FrontEnd front_end) {
  std::string key = builder.digest() + std::string(build::name_of(front_end));
  for (const EmbeddedFile& file : flops_runtime_sources()) key += std::string(file.content);
  const build::Toolchain& tools = builder.tools();
  key +=
      front_end == FrontEnd::clang ? tools.clang.version : tools.host.version + tools.nvcc.version;
  return builder.shared_folder(
      "flops-runtime-" + sha256_hex(key).substr(0, 16),
      [&](const fs::path& partial) { return compile_runtime(builder, front_end, partial); });
}

fs::path libdevice_of(const build::Toolchain& tools) {
  const fs::path file = tools.toolkit / "nvvm" / "libdevice" / "libdevice.10.bc";
  std::error_code code;
  return !tools.toolkit.empty() && fs::exists(file, code) ? file : fs::path();
}

/// The device parts of all sources.
Result<BuiltProgram> device_code_by(FrontEnd front_end, const build::Builder& builder,
                                    const ProgramRequest& request, const fs::path& folder,
                                    const StopSignal* stop) {
  Shop shop{builder, request, folder, {}, {}, front_end, stop};
  WW_TRY(shop.runtime, runtime_folder(builder, front_end));
  if (front_end == FrontEnd::clang) shop.libdevice = libdevice_of(builder.tools());
  BuiltProgram built;
  for (std::size_t i = 0; i < request.files.size(); ++i) {
    if (!is_cuda(request.files[i])) continue;
    Piece piece;
    if (front_end == FrontEnd::clang) {
      WW_TRY(const fs::path place, new_folder(shop, "device" + std::to_string(i)));
      WW_TRY(const ProcessExit exit, clang_device(shop, request.files[i], place));
      if (!exit.succeeded()) return failure_of(exit, "clang", request.files[i]);
      WW_TRY(piece.ptx, build::read_product(place / "device.ptx"));
    } else {
      WW_TRY(piece, compile_by_nvcc(shop, request.files[i], i));
      if (!piece.failed.reason.empty()) return std::move(piece.failed);
    }
    built.ptx.push_back(std::move(piece.ptx));
  }
  built.ok = true;
  built.front_end = front_end;
  return built;
}

Result<BuiltProgram> build_by(FrontEnd front_end, const build::Builder& builder,
                              const ProgramRequest& request, const fs::path& folder,
                              const StopSignal* stop) {
  Shop shop{builder, request, folder, {}, {}, front_end, stop};
  WW_TRY(shop.runtime, runtime_folder(builder, front_end));
  if (front_end == FrontEnd::clang) shop.libdevice = libdevice_of(builder.tools());
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < request.files.size(); ++i) {
    auto piece = front_end == FrontEnd::clang ? compile_by_clang(shop, request.files[i], i)
                                              : compile_by_nvcc(shop, request.files[i], i);
    if (!piece.ok()) return piece.error();
    if (!piece->failed.reason.empty()) return std::move(piece->failed);
    pieces.push_back(std::move(*piece));
  }
  WW_TRY(BuiltProgram built, link(shop, pieces));
  built.runtime = shop.runtime;
  built.front_end = front_end;
  built.has_libdevice = front_end == FrontEnd::nvcc || !shop.libdevice.empty();
  return built;
}

}  // namespace

namespace {

using BuildBy = Result<BuiltProgram> (*)(FrontEnd, const build::Builder&, const ProgramRequest&,
                                         const fs::path&, const StopSignal*);

/// With one front end, and with the other where the first cannot.
Result<BuiltProgram> build_either(BuildBy build_with, const build::Builder& builder,
                                  const ProgramRequest& request, const fs::path& folder,
                                  const StopSignal* stop) {
  const build::Toolchain& tools = builder.tools();
  WW_TRY(const FrontEnd first, tools.resolve(request.front_end));
  WW_CHECK(make_directories(folder / "first"));
  WW_TRY(BuiltProgram built, build_with(first, builder, request, folder / "first", stop));
  const bool again = !built.ok && request.front_end == FrontEnd::automatic &&
                     first == FrontEnd::clang && tools.supports(FrontEnd::nvcc);
  if (!again) return built;
  WW_CHECK(make_directories(folder / "second"));
  WW_TRY(BuiltProgram second,
         build_with(FrontEnd::nvcc, builder, request, folder / "second", stop));
  // What the toolkit's own compiler says is nearer to what its author knows, if it says anything.
  return second.timed_out ? std::move(built) : std::move(second);
}

}  // namespace

Result<BuiltProgram> build_program(const build::Builder& builder, const ProgramRequest& request,
                                   const fs::path& folder, const StopSignal* stop) {
  return build_either(build_by, builder, request, folder, stop);
}

Result<BuiltProgram> compile_device_code(const build::Builder& builder,
                                         const ProgramRequest& request, const fs::path& folder,
                                         const StopSignal* stop) {
  return build_either(device_code_by, builder, request, folder, stop);
}

}  // namespace warpwright::flop
