// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/stop.h"
#include "sandbox/sandbox.h"
#include "sass/program.h"

namespace warpwright::sass {

/// A program of PATH or the CUDA toolkit.
Result<std::filesystem::path> toolkit_program(const std::string& name);

/// NVIDIA's disassembler: $WARPWRIGHT_NVDISASM, PATH, the toolkit, or the folder into which
/// scripts/fetch-nvdisasm puts it. The error says how to get it.
Result<std::filesystem::path> find_nvdisasm();

/// Where scripts/fetch-nvdisasm puts it.
std::filesystem::path nvdisasm_cache();

/// Disassembles files, each in the sandbox: they are foreign.
class Disassembler {
 public:
  static Result<Disassembler> open();
  Disassembler(sandbox::Sandbox sandbox, std::filesystem::path tool)
      : sandbox_(sandbox), tool_(std::move(tool)) {}

  Result<Program> read(std::string bytes, const StopSignal* stop = nullptr) const;
  Result<Program> read_file(const std::filesystem::path& path,
                            const StopSignal* stop = nullptr) const;
  /// nvdisasm's text of a cubin, with all that parse_listing() reads.
  Result<std::string> listing_of(std::string_view bytes, const StopSignal* stop = nullptr) const;

 private:
  sandbox::Sandbox sandbox_;
  std::filesystem::path tool_;
};

}  // namespace warpwright::sass
