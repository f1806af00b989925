// SPDX-License-Identifier: Apache-2.0
#include <future>

#include "base/files.h"
#include "build/cache.h"
#include "build/diagnostics.h"
#include "build/front_ends.h"

namespace warpwright::build {

namespace fs = std::filesystem;

namespace {

constexpr int kNewestArchitecture = 90;  // what clang 19 can name

std::vector<std::string> common_flags(const Workshop& shop) {
  const auto& request = shop.request;
  std::vector<std::string> argv = {
      shop.builder.tools().clang.path.string(), "-x", "cuda", "-std=c++17",
      "-O" + std::to_string(request.optimisation), "-nocudainc", "-nocudalib",
      "--cuda-path=/nonexistent",
      // Without a stated version the host part would launch the way CUDA 8 did.
      "-Xclang", "-target-sdk-version=12.3", "-I" + shop.builder.headers().string(), "-include",
      "ww_prelude.h", "-gline-tables-only", "-fno-caret-diagnostics", "-fno-color-diagnostics",
      "-ferror-limit=20", "-ftemplate-backtrace-limit=3", "-fmacro-backtrace-limit=2",
      "-Wno-unknown-cuda-version", "-Wno-unused-command-line-argument"};
  if (request.fast_math) {
    argv.insert(argv.end(), {"-ffast-math", "-fgpu-approx-transcendentals"});
  }
  return argv;
}

Result<ProcessExit> compile_device(const Workshop& shop, const fs::path& folder) {
  auto argv = common_flags(shop);
  const int arch = architecture(shop.request.target, kNewestArchitecture);
  const bool newer = shop.builder.tools().clang.major >= 18;
  argv.insert(argv.end(), {"--cuda-device-only", "--cuda-gpu-arch=sm_" + std::to_string(arch),
                           // Else the PTX version is the oldest, which lacks shuffles.
                           std::string("--cuda-feature=+") + (newer ? "ptx83" : "ptx80"), "-S",
                           std::string(kCandidateFile), "-o", "device.ptx"});
  return run_tool(shop, folder, std::move(argv));
}

Result<ProcessExit> compile_host(const Workshop& shop, const fs::path& folder) {
  auto argv = common_flags(shop);
  // The registration code needs a device image; the recorder never looks into it.
  argv.insert(argv.end(),
              {"--cuda-host-only", "-Xclang", "-fcuda-include-gpubinary", "-Xclang", "empty.fatbin",
               "-fPIC", "-w", "-c", std::string(kCandidateFile), "-o", "host.o"});
  return run_tool(shop, folder, std::move(argv));
}

Result<ProcessExit> link_host(const Workshop& shop, const fs::path& folder) {
  return run_tool(shop, folder,
                  {shop.builder.tools().clang.path.string(), "--driver-mode=g++", "-shared",
                   "-fPIC", "-w", "host.o", "-x", "c", "call.c", "-o", "host.so",
                   "-Wl,--no-undefined", "-L" + shop.recorder.string(), "-l:librecorder.so"});
}

}  // namespace

Result<BuildOutcome> build_with_clang(const Workshop& shop) {
  WW_TRY(const fs::path device_folder, bench(shop, "device"));
  WW_TRY(const fs::path host_folder, bench(shop, "host"));
  WW_CHECK(write_file(host_folder / "empty.fatbin", "none"));
  WW_CHECK(write_file(host_folder / "call.c", shop.call));
  auto device_run =
      std::async(std::launch::async, [&] { return compile_device(shop, device_folder); });
  auto host = compile_host(shop, host_folder);
  auto device = device_run.get();
  if (!device.ok()) return device.error();
  if (!host.ok()) return host.error();
  if (!device->succeeded()) return failed_build(*device, "clang");
  if (!host->succeeded()) return failed_build(*host, "clang");
  WW_TRY(const ProcessExit linked, link_host(shop, host_folder));
  if (!linked.succeeded()) return failed_build(linked, "the linker");

  BuildOutcome outcome;
  outcome.verdict = Verdict::ok;
  outcome.diagnostics = parse_diagnostics(device->err);
  WW_TRY(outcome.ptx, read_product(device_folder / "device.ptx"));
  WW_TRY(outcome.host_library, read_product(host_folder / "host.so"));
  WW_CHECK(assemble(shop, device_folder, outcome));
  return outcome;
}

}  // namespace warpwright::build
