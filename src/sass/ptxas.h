// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/stop.h"
#include "sandbox/sandbox.h"
#include "sass/program.h"

namespace warpwright::sass {

/// One other way in which ptxas may assemble the same PTX: flags that its own help documents, and
/// that leave every operation of the text as it is.
struct PtxasVariant {
  std::string name;                ///< "O1", "registers 64", "loads past L1"
  std::vector<std::string> flags;  ///< as ptxas takes them
};

/// What is worth trying for a kernel that uses so many registers: levels, cache modes, and limits
/// below what it uses.
std::vector<PtxasVariant> ptxas_variants(int registers);

/// The highest general register of a function, plus one.
int registers_of(const Function& function);

/// "sm_90a": the cubin's architecture, with the letter of the PTX's target.
std::string assembled_for(std::string_view ptx, int architecture);

/// ptxas of PATH or the toolkit. The error says how to get it.
Result<std::filesystem::path> find_ptxas();

/// Assembles PTX, each text in the sandbox.
class Assembler {
 public:
  static Result<Assembler> open();
  Assembler(sandbox::Sandbox sandbox, std::filesystem::path tool)
      : sandbox_(sandbox), tool_(std::move(tool)) {}

  /// The cubin. The error has ptxas's own words: it may not know a flag.
  Result<std::string> assemble(std::string_view ptx, const std::string& architecture,
                               std::span<const std::string> flags,
                               const StopSignal* stop = nullptr) const;

 private:
  sandbox::Sandbox sandbox_;
  std::filesystem::path tool_;
};

}  // namespace warpwright::sass
