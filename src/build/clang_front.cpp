// SPDX-License-Identifier: Apache-2.0
#include <future>

#include "base/files.h"
#include "base/sha256.h"
#include "base/text.h"
#include "build/cache.h"
#include "build/diagnostics.h"
#include "build/front_ends.h"
#include "build/signature.h"

namespace warpwright::build {

namespace fs = std::filesystem;

namespace {

constexpr int kNewestArchitecture = 90;  // what clang 19 can name

constexpr std::string_view kPrelude = "ww_prelude.h";

enum class Side { device, host };

/// What must be equal for a precompiled prelude and its user.
std::vector<std::string> language_flags(const Workshop& shop, Side side) {
  const auto& request = shop.request;
  std::vector<std::string> argv = {
      "-x", "cuda", "-std=c++17", "-O" + std::to_string(request.optimisation), "-nocudainc",
      "-nocudalib", "--cuda-path=/nonexistent",
      // Without a stated version the host part would launch the way CUDA 8 did.
      "-Xclang", "-target-sdk-version=12.3", "-I" + shop.builder.headers().string(),
      "-gline-tables-only"};
  if (request.fast_math) {
    argv.insert(argv.end(), {"-ffast-math", "-fgpu-approx-transcendentals"});
  }
  if (side == Side::host) {
    argv.insert(argv.end(), {"--cuda-host-only", "-fPIC", "-fno-optimize-sibling-calls"});
    return argv;
  }
  const bool newer = shop.builder.tools().clang.major >= 18;
  const int arch = architecture(request.target, kNewestArchitecture);
  argv.insert(argv.end(), {"--cuda-device-only", "--cuda-gpu-arch=sm_" + std::to_string(arch),
                           // Else the PTX version is the oldest, which lacks shuffles.
                           std::string("--cuda-feature=+") + (newer ? "ptx83" : "ptx80")});
  return argv;
}

std::string_view pch_name(Side side) { return side == Side::device ? "device.pch" : "host.pch"; }

Result<ProcessExit> compile(const Workshop& shop, const fs::path& folder, Side side) {
  std::vector<std::string> argv = {shop.builder.tools().clang.path.string()};
  const auto flags = language_flags(shop, side);
  argv.insert(argv.end(), flags.begin(), flags.end());
  if (shop.precompiled.empty()) {
    argv.insert(argv.end(), {"-include", std::string(kPrelude)});
  } else {
    argv.insert(argv.end(), {"-Xclang", "-include-pch", "-Xclang",
                             (shop.precompiled / pch_name(side)).string()});
  }
  argv.insert(argv.end(), {"-include", std::string(kSignatureFile)});
  argv.insert(argv.end(), {"-fno-caret-diagnostics", "-fno-color-diagnostics", "-ferror-limit=20",
                           "-ftemplate-backtrace-limit=3", "-fmacro-backtrace-limit=2",
                           "-Wno-unknown-cuda-version", "-Wno-unused-command-line-argument"});
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
  return run_tool(shop, folder,
                  {shop.builder.tools().clang.path.string(), "--driver-mode=g++", "-shared",
                   "-fPIC", "-w", "host.o", "-x", "c", "call.c", "-o", "host.so",
                   "-Wl,--no-undefined", "-L" + shop.recorder.string(), "-l:librecorder.so"});
}

/// System headers were upgraded after we precompiled ours.
bool is_stale(const ProcessExit& exit) {
  return !exit.succeeded() && exit.err.find("since the precompiled header") != std::string::npos;
}

struct Compiled {
  ProcessExit device;
  ProcessExit host;
};

/// Both sides at once, each in a folder of its own.
Result<Compiled> compile_both(const Workshop& shop, const fs::path& device_folder,
                              const fs::path& host_folder) {
  auto device_run =
      std::async(std::launch::async, [&] { return compile(shop, device_folder, Side::device); });
  auto host = compile(shop, host_folder, Side::host);
  auto device = device_run.get();
  if (!device.ok()) return device.error();
  if (!host.ok()) return host.error();
  return Compiled{std::move(*device), std::move(*host)};
}

}  // namespace

Result<BuildOutcome> build_with_clang(const Workshop& given) {
  Workshop shop = given;
  WW_TRY(shop.precompiled, precompiled_headers(shop));
  WW_TRY(const fs::path device_folder, bench(shop, "device"));
  WW_TRY(const fs::path host_folder, bench(shop, "host"));
  WW_CHECK(write_file(host_folder / "empty.fatbin", "none"));
  WW_CHECK(write_file(host_folder / "call.c", shop.call));
  WW_TRY(Compiled compiled, compile_both(shop, device_folder, host_folder));
  if (is_stale(compiled.device) || is_stale(compiled.host)) {
    std::error_code ignored;
    fs::remove_all(shop.precompiled, ignored);
    shop.precompiled.clear();
    WW_TRY(compiled, compile_both(shop, device_folder, host_folder));
  }
  if (!compiled.device.succeeded()) return failed_build(compiled.device, "clang");
  if (!compiled.host.succeeded()) return failed_build(compiled.host, "clang");
  WW_TRY(const ProcessExit linked, link_host(shop, host_folder));
  if (!linked.succeeded()) return failed_build(linked, "the linker");

  BuildOutcome outcome;
  outcome.verdict = Verdict::ok;
  outcome.diagnostics = parse_diagnostics(compiled.device.err);
  WW_TRY(outcome.ptx, read_product(device_folder / "device.ptx"));
  WW_TRY(outcome.host_library, read_product(host_folder / "host.so"));
  WW_CHECK(assemble(shop, device_folder, outcome));
  return outcome;
}

}  // namespace warpwright::build
