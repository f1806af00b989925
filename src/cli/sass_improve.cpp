// SPDX-License-Identifier: Apache-2.0
#include "cli/sass_improve.h"

#include <fmt/format.h>

#include "base/files.h"
#include "base/process.h"
#include "cli/verbs.h"
#include "sass/ptxas.h"
#include "sass/tool.h"

namespace warpwright::cli {

namespace {

/// Every way to assemble the kernel's PTX that is worth a try. What cannot be had says why.
Result<std::vector<reorder::Variant>> variants_of(const SassTuning& tuning,
                                                  const sass::Program& program,
                                                  const StopSignal& stop) {
  std::vector<reorder::Variant> variants;
  if (!tuning.variants || tuning.inputs.ptx.empty()) return variants;
  const auto assembler = sass::Assembler::open();
  if (!assembler.ok()) return variants;
  const std::string& name = tuning.function.empty() ? tuning.inputs.kernel : tuning.function;
  WW_TRY(const auto* function, reorder::function_named(program, name));
  const std::string architecture =
      sass::assembled_for(tuning.inputs.ptx, program.cubin().architecture());
  for (const auto& each : sass::ptxas_variants(sass::registers_of(*function))) {
    if (stop.requested() || tuning.options.is_over()) break;
    reorder::Variant variant{.name = each.name,
                             .flags = fmt::format("{}", fmt::join(each.flags, " "))};
    auto cubin = assembler->assemble(tuning.inputs.ptx, architecture, each.flags, &stop);
    if (cubin.ok()) {
      variant.cubin = std::move(*cubin);
    } else {
      variant.unmade = cubin.error().message;
    }
    variants.push_back(std::move(variant));
  }
  return variants;
}

}  // namespace

Result<sass::Program> sass_program(const std::string& file, const std::string& listing) {
  if (listing.empty()) {
    WW_TRY(const auto tool, sass::Disassembler::open());
    return tool.read_file(file);
  }
  WW_TRY(std::string bytes, read_file(file));
  WW_TRY(sass::Cubin cubin, sass::Cubin::parse(std::move(bytes)));
  WW_TRY(const std::string text, read_file(listing, std::size_t{1} << 30));
  return sass::Program::join(std::move(cubin), text);
}

Result<sass::LatencyTable> sass_table(const std::string& file, int architecture) {
  if (file.empty()) return sass::shipped_table(architecture);
  WW_TRY(const std::string text, read_file(file));
  WW_TRY(auto table, sass::LatencyTable::parse(text));
  if (table.architecture() != architecture)
    return Error{fmt::format("{} is for sm_{}, the cubin for sm_{}", file, table.architecture(),
                             architecture)};
  return table;
}

Result<reorder::Canary> sass_canary(const SassInputs& inputs, bool set_clocks) {
  Command command;
  command.argv = {own_program(),
                  "sass",
                  "canary",
                  absolute_path(inputs.workload).string(),
                  absolute_path(inputs.cubin).string(),
                  "--device",
                  inputs.device};
  if (set_clocks) command.argv.emplace_back("--clocks");
  command.env = minimal_environment();
  for (const std::string& more :
       environment_subset({"HOME", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES"}))
    command.env.push_back(more);
  return reorder::Canary::start(std::move(command));
}

Result<SassTuned> tune_sass(const SassTuning& tuning, const StopSignal& stop) {
  WW_TRY(const auto program, sass_program(tuning.inputs.cubin, tuning.listing));
  SassTuned tuned{.architecture = program.cubin().architecture()};
  WW_TRY(auto table, sass_table(tuning.table, tuned.architecture));
  reorder::TuneOptions options = tuning.options;
  options.is_over = [&stop, given = tuning.options.is_over] { return stop.requested() || given(); };
  reorder::Improvable kernel{
      .program = program,
      .kernel = tuning.function.empty() ? tuning.inputs.kernel : tuning.function,
      .table = std::move(table),
      .variants = {},
      .read = [&](std::string cubin) -> Result<sass::Program> {
        WW_TRY(const auto tool, sass::Disassembler::open());
        return tool.read(std::move(cubin), &stop);
      }};
  WW_TRY(auto canary, sass_canary(tuning.inputs, tuning.set_clocks));
  WW_TRY(kernel.variants, variants_of(tuning, program, stop));
  WW_TRY(tuned.improvement, reorder::improve(kernel, canary, options));
  if (stop.requested()) return Error{"stopped while schedules were searched"};
  tuned.report = reorder::improvement_json(tuned.improvement, options);
  return tuned;
}

Result<SassTuned> tune_source(const evaluate::JobRequest& request,
                              const std::filesystem::path& folder, double minutes,
                              const StopSignal& stop) {
  SassTuning tuning;
  tuning.options = reorder::tune_within(60 * minutes);
  WW_TRY(tuning.inputs, sass_inputs_of(request, folder.string(), stop));
  return tune_sass(tuning, stop);
}

}  // namespace warpwright::cli
