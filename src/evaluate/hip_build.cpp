// SPDX-License-Identifier: Apache-2.0
#include "evaluate/hip_build.h"

#include "build/diagnostics.h"
#include "port/hip_unit.h"

namespace warpwright::evaluate {

namespace {

namespace fs = std::filesystem;

constexpr int kBytesPerRegister = 4;

KernelResources resources_of(const port::KernelResources& kernel) {
  const auto figure = [&](const char* name) {
    const auto found = kernel.figures.find(name);
    return found == kernel.figures.end() ? 0 : static_cast<int>(found->second);
  };
  const int spilled = figure("vgpr_spills") * kBytesPerRegister;
  return {.kernel = kernel.kernel,
          .registers = figure("vgprs") + figure("agprs"),
          .spill_store_bytes = spilled,
          .spill_load_bytes = spilled,
          .stack_bytes = figure("scratch_bytes"),
          .shared_bytes = figure("lds_bytes")};
}

build::BuildOutcome refused_by_amd(const port::CompileOutcome& compiled) {
  build::BuildOutcome outcome;
  outcome.verdict = Verdict::compile_error;
  outcome.front_end = build::FrontEnd::clang;
  std::string text;
  for (const std::string& line : compiled.errors) text += line + "\n";
  outcome.diagnostics = build::parse_diagnostics(text);
  outcome.reason = outcome.diagnostics.empty()
                       ? "it does not compile for " + compiled.target + ": " + text
                       : outcome.diagnostics.front().message;
  return outcome;
}

Result<fs::path> machine_headers(const build::Builder& builder) {
  return builder.shared_folder(
      "hip-" + port::machine_headers_digest().substr(0, 16),
      [](const fs::path& partial) { return port::write_machine_headers(partial); });
}

}  // namespace

Result<build::BuildOutcome> build_hip(build::BuildRequest request, const build::Builder& builder,
                                      const StopSignal* stop) {
  request.source = port::as_hip(request.source);
  WW_TRY(const auto compiled,
         port::compile_hip_source(request.source, std::string(build::kCandidateFile),
                                  request.target.amd, builder.sandbox(), stop));
  if (!*compiled.compiles) return refused_by_amd(compiled);
  WW_TRY(request.platform, machine_headers(builder));
  request.wavefront = request.target.warp_size;
  request.assemble = false;
  WW_TRY(auto outcome, builder.build(request, stop));
  outcome.resources.clear();
  for (const auto& kernel : compiled.kernels) outcome.resources.push_back(resources_of(kernel));
  return outcome;
}

}  // namespace warpwright::evaluate
