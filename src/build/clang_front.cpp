// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdlib>
#include <future>

#include "base/files.h"
#include "base/sha256.h"
#include "base/text.h"
#include "build/cache.h"
#include "build/cluster_dims.h"
#include "build/diagnostics.h"
#include "build/front_ends.h"
#include "build/signature.h"

namespace warpwright::build {

namespace fs = std::filesystem;

namespace {

constexpr int kNewestForClang = 90;  // what clang 19 can name

constexpr std::string_view kPrelude = "ww_prelude.h";

enum class Side { device, host };

// In PTX the arrays of a thread lie in one variable, side by side: where each of them ends is known
// to the compiler alone, and told by code that it adds.
const std::vector<std::string> kBoundsFlags = {"-Xclang", "-fsanitize=array-bounds", "-Xclang",
                                               "-fsanitize-trap=array-bounds"};

/// What must be equal for a precompiled prelude and its user.
std::vector<std::string> language_flags(const Workshop& shop, Side side) {
  const auto& request = shop.request;
  std::vector<std::string> argv = {
      "-x", "cuda", "-std=c++17", "-O" + std::to_string(request.optimisation), "-nocudainc",
      "-nocudalib", "--cuda-path=/nonexistent",
      // Without a stated version the host part would launch the way CUDA 8 did.
      "-Xclang", "-target-sdk-version=12.3"};
  if (!shop.libraries.empty()) {
    // Before ours, which has small parts of the same names.
    argv.insert(argv.end(),
                {"-I" + shop.libraries.string(), "-Xclang", "-fcuda-allow-variadic-functions",
                 "-DNVTX_DISABLE", "-DCCCL_IGNORE_DEPRECATED_CPP_DIALECT", "-DWW_LIBRARIES", "-w",
                 "-idirafter", (shop.builder.tools().toolkit / "include").string()});
  }
  if (!request.platform.empty()) argv.push_back("-I" + request.platform.string());
  if (request.wavefront != 0) argv.push_back("-DWW_WAVE_SIZE=" + std::to_string(request.wavefront));
  argv.insert(argv.end(), {"-I" + shop.builder.headers().string(), "-gline-tables-only",
                           "-DWW_NOTES_CLUSTERS"});
  for (const fs::path& library : shop.request.include) {
    argv.insert(argv.end(), {"-isystem", library.string()});
  }
  if (!request.fused) argv.emplace_back("-ffp-contract=off");
  if (request.fast_math) {
    argv.insert(argv.end(), {"-ffast-math", "-fgpu-approx-transcendentals"});
  }
  if (side == Side::host) {
    argv.insert(argv.end(), {"--cuda-host-only", "-fPIC", "-fno-optimize-sibling-calls"});
    return argv;
  }
  const bool newer = shop.builder.tools().clang.major >= 18;
  const int arch = architecture(request.target, kNewestForClang);
  const std::string name = newer ? architecture_name(request.target, arch) : std::to_string(arch);
  argv.insert(argv.end(), {"--cuda-device-only", "--cuda-gpu-arch=sm_" + name,
                           // Else the PTX version is the oldest, which lacks shuffles.
                           std::string("--cuda-feature=+") + (newer ? "ptx83" : "ptx80")});
  return argv;
}

std::string_view pch_name(Side side) { return side == Side::device ? "device.pch" : "host.pch"; }

Result<ProcessExit> compile(const Workshop& shop, const fs::path& folder, Side side,
                            const std::vector<std::string>& more = {}) {
  std::vector<std::string> argv = {shop.builder.tools().clang.path.string()};
  const auto flags = language_flags(shop, side);
  argv.insert(argv.end(), flags.begin(), flags.end());
  argv.insert(argv.end(), more.begin(), more.end());
  if (shop.precompiled.empty()) {
    argv.insert(argv.end(), {"-include", std::string(kPrelude)});
  } else {
    argv.insert(argv.end(), {"-Xclang", "-include-pch", "-Xclang",
                             (shop.precompiled / pch_name(side)).string()});
  }
  argv.insert(argv.end(), {"-include", std::string(kSignatureFile)});
  argv.insert(argv.end(), {"-fno-caret-diagnostics", "-fno-color-diagnostics", "-ferror-limit=20",
                           "-ftemplate-backtrace-limit=3", "-fmacro-backtrace-limit=2",
                           "-Wno-unknown-cuda-version", "-Wno-unused-command-line-argument",
                           "-Wno-register", "-Wno-c++11-narrowing"});
  if (side == Side::device) {
    argv.insert(argv.end(), {"-S", std::string(kCandidateFile), "-o", "device.ptx"});
  } else {
    // The registration code needs a device image; the recorder never looks into it.
    argv.insert(argv.end(), {"-Xclang", "-fcuda-include-gpubinary", "-Xclang", "empty.fatbin", "-w",
                             "-c", std::string(kCandidateFile), "-o", "host.o"});
  }
  return run_tool(shop, folder, std::move(argv));
}

Status precompile(const Workshop& shop, const fs::path& folder) {
  for (const Side side : {Side::device, Side::host}) {
    std::vector<std::string> argv = {shop.builder.tools().clang.path.string()};
    const auto flags = language_flags(shop, side);
    argv.insert(argv.end(), flags.begin(), flags.end());
    argv.insert(argv.end(),
                {"-S", "-Xclang", "-emit-pch", (shop.builder.headers() / kPrelude).string(), "-o",
                 std::string(pch_name(side))});
    WW_TRY(const ProcessExit exit, run_tool(shop, folder, std::move(argv)));
    if (!exit.succeeded()) {
      return Error{"cannot precompile our headers (" + exit.describe() +
                   "): " + shortened(exit.err, 2000)};
    }
  }
  return {};
}

/// Parsing the headers is most of a small candidate's compile time, so it is done once per set of
/// flags.
Result<fs::path> precompiled_headers(const Workshop& shop) {
  std::string key = shop.builder.digest() + shop.builder.tools().clang.version;
  for (const Side side : {Side::device, Side::host}) {
    for (const auto& flag : language_flags(shop, side)) key += "\n" + flag;
  }
  return shop.builder.shared_folder(
      "prelude-" + sha256_hex(key).substr(0, 16),
      [&shop](const fs::path& partial) { return precompile(shop, partial); });
}

Result<ProcessExit> link_host(const Workshop& shop, const fs::path& folder) {
  std::vector<std::string> argv = {shop.builder.tools().clang.path.string(), "--driver-mode=g++"};
  for (std::string& argument : link_arguments(shop)) argv.push_back(std::move(argument));
  return run_tool(shop, folder, std::move(argv));
}

/// Whether a compiler blames the precompiled prelude: system headers were upgraded after it was
/// made, or the file is gone or damaged. Any candidate can print the same words, so they are only a
/// reason to look.
bool blames_prelude(const ProcessExit& exit, Side side) {
  return !exit.succeeded() && (exit.err.find("precompiled header") != std::string::npos ||
                               exit.err.find(pch_name(side)) != std::string::npos);
}

/// Compiles nothing at all with the prelude. A run that was cut short proves nothing against it.
Result<bool> is_usable(const Workshop& shop, Side side) {
  WW_TRY(const fs::path folder, bench(shop, "prelude-" + std::string(pch_name(side))));
  WW_CHECK(write_file(folder / "nothing.cu", ""));
  std::vector<std::string> argv = {shop.builder.tools().clang.path.string()};
  const auto flags = language_flags(shop, side);
  argv.insert(argv.end(), flags.begin(), flags.end());
  argv.insert(argv.end(),
              {"-Xclang", "-include-pch", "-Xclang", (shop.precompiled / pch_name(side)).string(),
               "-fsyntax-only", "-Wno-unknown-cuda-version", "nothing.cu"});
  WW_TRY(const ProcessExit exit, run_tool(shop, folder, std::move(argv)));
  return exit.succeeded() || exit.timed_out || exit.stopped || exit.signal != 0;
}

/// Takes a prelude that serves nobody out of the way, in one step for those who look for it.
void set_aside(const fs::path& prelude) {
  std::string aside = prelude.string() + ".staleXXXXXX";
  if (::mkdtemp(aside.data()) == nullptr) return;
  std::error_code ignored;
  fs::rename(prelude, fs::path(aside) / "prelude", ignored);
  fs::remove_all(aside, ignored);
}

Status check_prelude(const Workshop& shop) {
  for (const Side side : {Side::device, Side::host}) {
    WW_TRY(const bool usable, is_usable(shop, side));
    if (usable) continue;
    set_aside(shop.precompiled);
    break;
  }
  return {};
}

struct Compiled {
  fs::path device_folder;
  fs::path host_folder;
  ProcessExit device;
  ProcessExit host;
};

/// Both sides at once, each in a new folder of its own: what one run of the sandbox leaves, the
/// next may not be able to replace.
Result<Compiled> compile_both(const Workshop& shop, const std::string& attempt) {
  Compiled compiled;
  WW_TRY(compiled.device_folder, bench(shop, "device" + attempt));
  WW_TRY(compiled.host_folder, bench(shop, "host" + attempt));
  WW_CHECK(write_file(compiled.host_folder / "empty.fatbin", "none"));
  WW_CHECK(write_file(compiled.host_folder / "call.c", shop.call));
  auto device_run = std::async(std::launch::async,
                               [&] { return compile(shop, compiled.device_folder, Side::device); });
  auto host = compile(shop, compiled.host_folder, Side::host);
  auto device = device_run.get();
  if (!device.ok()) return device.error();
  if (!host.ok()) return host.error();
  compiled.device = std::move(*device);
  compiled.host = std::move(*host);
  return compiled;
}

/// Whether a source, or what it includes, may need more of the toolkit than our headers have.
bool asks_for_toolkit(const Workshop& shop, const Compiled& compiled) {
  constexpr std::array<std::string_view, 4> kAsking = {"<cub/", "<cuda/", "<thrust/", "<nv/"};
  const std::string& source = shop.request.source;
  return compiled.device.err.find("file not found") != std::string::npos ||
         compiled.host.err.find("file not found") != std::string::npos ||
         std::any_of(kAsking.begin(), kAsking.end(),
                     [&](std::string_view name) { return source.find(name) != std::string::npos; });
}

/// The toolkit's libraries of device code (CUB, libcu++, Thrust).
fs::path libraries_for(const Workshop& shop) {
  if (shop.builder.tools().toolkit.empty()) return {};
  std::error_code ignored;
  // Since CUDA 13 in a folder of their own.
  for (const char* place : {"include/cccl", "include"}) {
    const fs::path folder = shop.builder.tools().toolkit / place;
    if (fs::exists(folder / "cub" / "cub.cuh", ignored)) return folder;
  }
  return {};
}

/// What clang refuses may be its dialect or a header that only the toolkit has.
BuildOutcome refused(const Workshop& shop, const ProcessExit& exit) {
  constexpr std::array<std::string_view, 4> kDialect = {
      "file not found", "undeclared identifier", "unknown type name", "no matching function"};
  BuildOutcome outcome = failed_build(exit, "clang");
  const bool dialect = std::any_of(kDialect.begin(), kDialect.end(), [&](std::string_view words) {
    return outcome.reason.find(words) != std::string::npos;
  });
  if (outcome.verdict == Verdict::compile_error && dialect && shop.builder.tools().nvcc.found()) {
    outcome.reason += " (clang compiled it; --front-end nvcc asks nvcc, which may take it)";
  }
  return outcome;
}

bool succeeded(const Compiled& compiled) {
  return compiled.device.succeeded() && compiled.host.succeeded();
}

}  // namespace

bool has_local_arrays(std::string_view ptx) {
  return ptx.find("__local_depot") != std::string_view::npos;
}

Result<std::string> build_with_bounds(const Workshop& given, std::string_view ptx) {
  if (!has_local_arrays(ptx) || !given.builder.tools().clang.found()) return std::string();
  Workshop shop = given;
  shop.precompiled.clear();  // made with other flags
  WW_TRY(const fs::path folder, bench(shop, "bounds"));
  WW_TRY(const ProcessExit exit, compile(shop, folder, Side::device, kBoundsFlags));
  if (!exit.succeeded()) return std::string();
  return read_product(folder / "device.ptx");
}

namespace {

/// Puts the clusters of kernels that ask for one by themselves into what was compiled.
Status add_clusters(const Workshop& shop, const fs::path& device_folder, BuildOutcome& outcome) {
  if (!mentions_cluster_dims(shop.request.source)) return {};
  WW_TRY(const fs::path folder, bench(shop, "clusters"));
  WW_TRY(const ProcessExit exit,
         compile(shop, folder, Side::device, {"-emit-llvm", "-Xclang", "-disable-llvm-passes"}));
  if (!exit.succeeded()) return Error{"cannot look up __cluster_dims__: " + exit.describe()};
  WW_TRY(const std::string llvm, read_product(folder / "device.ptx"));
  const auto dims = find_cluster_dims(llvm);
  outcome.ptx = with_cluster_dims(outcome.ptx, dims);
  outcome.bounds_ptx = with_cluster_dims(outcome.bounds_ptx, dims);
  // ptxas reads the file.
  std::error_code ignored;
  fs::remove(device_folder / "device.ptx", ignored);
  return write_file(device_folder / "device.ptx", outcome.ptx);
}

}  // namespace

Result<BuildOutcome> build_with_clang(const Workshop& given) {
  Workshop shop = given;
  WW_TRY(shop.precompiled, precompiled_headers(shop));
  WW_TRY(Compiled compiled, compile_both(shop, ""));
  if (blames_prelude(compiled.device, Side::device) || blames_prelude(compiled.host, Side::host)) {
    WW_CHECK(check_prelude(shop));
    // Whoever was to blame: without it, what is wrong now is the candidate's.
    shop.precompiled.clear();
    WW_TRY(compiled, compile_both(shop, "-again"));
  }
  if (!succeeded(compiled)) {
    if (asks_for_toolkit(shop, compiled)) shop.libraries = libraries_for(shop);
    if (!shop.libraries.empty()) {
      shop.precompiled.clear();
      WW_TRY(compiled, compile_both(shop, "-libraries"));
    }
  }
  if (!compiled.device.succeeded()) return refused(shop, compiled.device);
  if (!compiled.host.succeeded()) return refused(shop, compiled.host);
  WW_TRY(const ProcessExit linked, link_host(shop, compiled.host_folder));
  if (!linked.succeeded()) return failed_build(linked, "the linker");

  BuildOutcome outcome;
  outcome.verdict = Verdict::ok;
  outcome.diagnostics = parse_diagnostics(compiled.device.err);
  WW_TRY(outcome.ptx, read_product(compiled.device_folder / "device.ptx"));
  WW_TRY(outcome.host_library, read_product(compiled.host_folder / "host.so"));
  WW_TRY(outcome.bounds_ptx, build_with_bounds(shop, outcome.ptx));
  WW_CHECK(add_clusters(shop, compiled.device_folder, outcome));
  WW_CHECK(assemble(shop, compiled.device_folder, outcome));
  return outcome;
}

}  // namespace warpwright::build
