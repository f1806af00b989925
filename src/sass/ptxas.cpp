// SPDX-License-Identifier: Apache-2.0
#include "sass/ptxas.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/files.h"
#include "base/text.h"
#include "sass/tool.h"

namespace warpwright::sass {

namespace fs = std::filesystem;

namespace {

struct VariantRow {
  std::string_view name;
  std::string_view flag;
};

// Contraction of products and sums (--fmad) is not among them: it changes results.
constexpr auto kRows = std::to_array<VariantRow>({
    {"O2", "-O2"},
    {"O1", "-O1"},
    {"O4", "-O4"},
    {"loads past L1", "-dlcm=cg"},
    {"loads through L1", "-dlcm=ca"},
    {"streaming loads", "-dlcm=cs"},
    {"stores past L1", "-dscm=cg"},
    {"streaming stores", "-dscm=cs"},
    {"few registers", "-regUsageLevel=0"},
    {"many registers", "-regUsageLevel=10"},
    {"no expensive optimisations", "-allow-expensive-optimizations=false"},
    {"no constants of the optimiser", "-disable-optimizer-consts"},
    {"blocks as written", "-no-bb-merge"},
});

// Limits that let one more block onto a multiprocessor for usual block sizes.
constexpr std::array<int, 14> kLimits = {24, 32, 40,  48,  56,  64,  72,
                                         80, 96, 112, 128, 168, 192, 224};
constexpr std::size_t kMostLimits = 5;  // the nearest ones below

}  // namespace

std::vector<PtxasVariant> ptxas_variants(int registers) {
  std::vector<PtxasVariant> variants;
  for (const VariantRow& row : kRows)
    variants.push_back({std::string(row.name), {std::string(row.flag)}});
  const auto end = std::lower_bound(kLimits.begin(), kLimits.end(), registers);
  const auto below = static_cast<std::size_t>(end - kLimits.begin());
  for (std::size_t i = below - std::min(below, kMostLimits); i < below; ++i)
    variants.push_back({fmt::format("registers {}", kLimits[i]),
                        {fmt::format("-maxrregcount={}", kLimits[i]),
                         // Else the launch bounds of the source win.
                         "-override-directive-values"}});
  return variants;
}

int registers_of(const Function& function) {
  std::size_t most = 0;
  for (const Instruction& instruction : function.code)
    for_each_register(instruction.defs | instruction.uses, [&](std::size_t at) {
      if (bank_of(at) == Bank::general && !is_constant(at)) most = std::max(most, at + 1);
    });
  return static_cast<int>(most);
}

std::string assembled_for(std::string_view ptx, int architecture) {
  const std::string name = fmt::format("sm_{}", architecture);
  for (const auto line : lines_of(ptx)) {
    const auto text = trimmed(line);
    if (!text.starts_with(".target")) continue;
    return text.find(name + "a") != std::string_view::npos ? name + "a" : name;
  }
  return name;
}

Result<fs::path> find_ptxas() {
  if (auto found = toolkit_program("ptxas"); found.ok()) return found;
  return Error{
      "ptxas was not found in PATH or in the CUDA toolkit: other ways to assemble are not tried"};
}

Result<Assembler> Assembler::open() {
  WW_TRY(fs::path tool, find_ptxas());
  WW_TRY(const auto sandbox, sandbox::Sandbox::open());
  return Assembler(sandbox, std::move(tool));
}

Result<std::string> Assembler::assemble(std::string_view ptx, const std::string& architecture,
                                        std::span<const std::string> flags,
                                        const StopSignal* stop) const {
  WW_TRY(const auto folder, TemporaryDirectory::create("warpwright-ptxas"));
  WW_CHECK(write_file(folder.path() / "device.ptx", ptx));
  sandbox::Request request;
  request.argv = {tool_.string(), "-arch=" + architecture, "device.ptx", "-o", "device.cubin"};
  request.argv.insert(request.argv.begin() + 1, flags.begin(), flags.end());
  request.env = minimal_environment();
  request.cwd = folder.path();
  request.readable = {tool_.parent_path()};
  request.writable = {folder.path()};
  WW_TRY(const ProcessExit exit, sandbox_.run(request, stop));
  if (!exit.succeeded())
    return Error{"ptxas failed (" + exit.describe() +
                 "): " + std::string(trimmed(exit.err.substr(0, 300)))};
  return read_file(folder.path() / "device.cubin");
}

}  // namespace warpwright::sass
