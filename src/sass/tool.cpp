// SPDX-License-Identifier: Apache-2.0
#include "sass/tool.h"

#include <unistd.h>

#include <cstdlib>

#include "base/files.h"
#include "base/process.h"

namespace warpwright::sass {

namespace fs = std::filesystem;

namespace {

// A listing has about half a kilobyte per instruction, more with many registers.
constexpr std::uint64_t kMostListingBytes = std::uint64_t{1} << 30;
constexpr std::size_t kMostCubinBytes = std::size_t{256} << 20;

bool runs(const fs::path& path) { return ::access(path.c_str(), X_OK) == 0; }

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

fs::path nvdisasm_cache() {
  fs::path base = environment("XDG_CACHE_HOME");
  if (base.empty()) base = fs::path(environment("HOME")) / ".cache";
  return base / "warpwright" / "nvdisasm";
}

Result<fs::path> toolkit_program(const std::string& name) {
  if (auto found = find_program(name); found.ok()) return absolute_path(*found);
  for (const std::string& root : {environment("CUDA_HOME"), std::string("/usr/local/cuda")}) {
    const fs::path program = fs::path(root) / "bin" / name;
    if (!root.empty() && runs(program)) return program;
  }
  return Error{name + " is neither in PATH nor in the CUDA toolkit"};
}

Result<fs::path> find_nvdisasm() {
  if (const std::string named = environment("WARPWRIGHT_NVDISASM"); !named.empty()) {
    if (runs(named)) return absolute_path(named);
    return Error{"WARPWRIGHT_NVDISASM names " + named + ", which is no program"};
  }
  if (auto found = toolkit_program("nvdisasm"); found.ok()) return found;
  if (const fs::path fetched = nvdisasm_cache() / "nvdisasm"; runs(fetched)) return fetched;
  return Error{"nvdisasm was not found in PATH, in the CUDA toolkit or in " +
               nvdisasm_cache().string() +
               "; install the toolkit's nvdisasm, run scripts/fetch-nvdisasm, or name it with "
               "WARPWRIGHT_NVDISASM"};
}

Result<Disassembler> Disassembler::open() {
  WW_TRY(fs::path tool, find_nvdisasm());
  WW_TRY(const auto sandbox, sandbox::Sandbox::open());
  return Disassembler(sandbox, std::move(tool));
}

Result<std::string> Disassembler::listing_of(std::string_view bytes, const StopSignal* stop) const {
  WW_TRY(const auto folder, TemporaryDirectory::create("warpwright-sass"));
  const fs::path file = folder.path() / "code.cubin";
  WW_CHECK(write_file(file, bytes));
  sandbox::Request request;
  request.argv = {tool_.string(), "-c", "-plr", "-hex", "-g", file.string()};
  request.env = minimal_environment();
  request.cwd = folder.path();
  request.readable = {folder.path(), tool_.parent_path()};
  request.limits.output_bytes = kMostListingBytes;
  std::error_code ignored;
  fs::permissions(folder.path(),
                  fs::perms::owner_all | fs::perms::others_read | fs::perms::others_exec, ignored);
  WW_TRY(const ProcessExit exit, sandbox_.run(request, stop));
  if (!exit.succeeded())
    return Error{"nvdisasm could not read the cubin (" + exit.describe() +
                 "): " + exit.err.substr(0, 400)};
  if (exit.output_truncated) return Error{"the listing of nvdisasm is too long"};
  return exit.out;
}

Result<Program> Disassembler::read(std::string bytes, const StopSignal* stop) const {
  WW_TRY(Cubin cubin, Cubin::parse(std::move(bytes)));
  WW_TRY(const std::string listing, listing_of(cubin.bytes(), stop));
  return Program::join(std::move(cubin), listing);
}

Result<Program> Disassembler::read_file(const fs::path& path, const StopSignal* stop) const {
  WW_TRY(std::string bytes, warpwright::read_file(path, kMostCubinBytes));
  return read(std::move(bytes), stop);
}

}  // namespace warpwright::sass
