// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"
#include "build/cache.h"
#include "build/diagnostics.h"
#include "build/front_ends.h"
#include "build/local_ends.h"
#include "build/resources.h"
#include "build/signature.h"

namespace warpwright::build {

namespace fs = std::filesystem;

namespace {

constexpr int kNewestForNvcc = 121;

/// Lambdas that are marked __device__ make nvcc read half as many headers again, for every source:
/// two fifths of a small kernel's compile time. Few have any.
enum class DeviceLambdas : std::uint8_t { no, yes };

/// What must be equal in all builds of a candidate, in front of what they make.
std::vector<std::string> common_arguments(const Workshop& shop, DeviceLambdas lambdas) {
  const auto& request = shop.request;
  std::vector<std::string> argv = {
      shop.builder.tools().nvcc.path.string(), "-std=c++17", "--expt-relaxed-constexpr", "-include",
      std::string(kSignatureFile), "-Xcompiler",
      "-fPIC,-g1,-fno-optimize-sibling-calls,-Wno-builtin-macro-redefined", "-ccbin",
      shop.builder.tools().host.path.string(),
      // Without it CUB's headers ask the environment and the loader for a tracing library.
      "-DNVTX_DISABLE"};
  for (const fs::path& library : request.include) {
    argv.insert(argv.end(), {"-isystem", library.string()});
  }
  if (!request.fused) argv.emplace_back("-fmad=false");
  if (request.fast_math) argv.emplace_back("--use_fast_math");
  if (lambdas == DeviceLambdas::yes) argv.emplace_back("--extended-lambda");
  return argv;
}

/// One run makes the PTX, the cubin and the host object; --keep leaves the first two behind.
Result<ProcessExit> compile(const Workshop& shop, const fs::path& folder, const std::string& number,
                            DeviceLambdas lambdas) {
  std::vector<std::string> argv = common_arguments(shop, lambdas);
  argv.insert(
      argv.end(),
      {"-O" + std::to_string(shop.request.optimisation), "-lineinfo", "-Xptxas", "-v", "-gencode",
       "arch=compute_" + number + ",code=[sm_" + number + ",compute_" + number + "]", "--keep",
       "--keep-dir", folder.string(), "-c", std::string(kCandidateFile), "-o", "host.o"});
  return run_tool(shop, folder, std::move(argv));
}

/// Where clang cannot add the checks: for debuggers nvcc says where each local variable lies. Empty
/// where it cannot make such code, or we cannot read it.
Result<std::string> build_for_debuggers(const Workshop& shop, const std::string& number,
                                        DeviceLambdas lambdas) {
  WW_TRY(const fs::path folder, bench(shop, "nvcc-bounds"));
  std::vector<std::string> argv = common_arguments(shop, lambdas);
  argv.insert(argv.end(),
              {"-G", "-ptx", "-gencode", "arch=compute_" + number + ",code=compute_" + number,
               std::string(kCandidateFile), "-o", "bounds.ptx"});
  WW_TRY(const ProcessExit exit, run_tool(shop, folder, std::move(argv)));
  if (!exit.succeeded()) return std::string();
  WW_TRY(const std::string ptx, read_product(folder / "bounds.ptx"));
  auto checked = with_local_ends(ptx);
  return checked.ok() ? *checked : std::string();
}

/// Whether the flag could help: with it also come names that a source forgot to include. What took
/// long or had to be stopped is not begun again.
bool worth_another_try(const ProcessExit& compiled) {
  constexpr double kLongSeconds = 6;
  return compiled.exit_code > 0 && !compiled.timed_out && !compiled.stopped &&
         compiled.wall_s < kLongSeconds;
}

Result<ProcessExit> link_host_by_nvcc(const Workshop& shop, const fs::path& folder) {
  std::vector<std::string> argv = {shop.builder.tools().host.path.string()};
  for (std::string& argument : link_arguments(shop)) argv.push_back(std::move(argument));
  return run_tool(shop, folder, std::move(argv));
}

}  // namespace

Result<BuildOutcome> build_with_nvcc(const Workshop& shop) {
  const std::string arch =
      architecture_name(shop.request.target, architecture(shop.request.target, kNewestForNvcc));
  WW_TRY(fs::path folder, bench(shop, "nvcc"));
  DeviceLambdas lambdas = DeviceLambdas::no;
  WW_TRY(ProcessExit compiled, compile(shop, folder, arch, lambdas));
  if (worth_another_try(compiled)) {
    lambdas = DeviceLambdas::yes;
    WW_TRY(folder, bench(shop, "nvcc-lambdas"));
    WW_TRY(compiled, compile(shop, folder, arch, lambdas));
  }
  if (!compiled.succeeded()) return failed_build(compiled, "nvcc");
  WW_CHECK(write_file(folder / "call.c", shop.call));
  WW_TRY(const ProcessExit linked, link_host_by_nvcc(shop, folder));
  if (!linked.succeeded()) return failed_build(linked, "the linker");

  BuildOutcome outcome;
  outcome.verdict = Verdict::ok;
  outcome.diagnostics = parse_diagnostics(compiled.err);
  outcome.resources = parse_resources(compiled.err + "\n" + compiled.out);
  WW_TRY(outcome.ptx, read_product(folder / "candidate.ptx"));
  const std::string cubin = "candidate.sm_" + arch + ".cubin";
  if (auto bytes = read_product(folder / cubin); bytes.ok()) outcome.cubin = *bytes;
  WW_TRY(outcome.host_library, read_product(folder / "host.so"));
  WW_TRY(outcome.bounds_ptx, build_with_bounds(shop, outcome.ptx));
  if (outcome.bounds_ptx.empty() && has_local_arrays(outcome.ptx)) {
    WW_TRY(outcome.bounds_ptx, build_for_debuggers(shop, arch, lambdas));
  }
  return outcome;
}

}  // namespace warpwright::build
