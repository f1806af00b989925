// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "simt/native/shapes.h"
#include "simt/state/launch.h"

namespace warpwright::simt {

/// What the text depends on besides the kernel.
struct NativeVariant {
  bool whole_rows = false;
  Checks checks = Checks::fast;
  bool operator==(const NativeVariant&) const = default;
  auto operator<=>(const NativeVariant&) const = default;
};

/// A kernel as C. Names in it are numbers of ours; nothing of the PTX text gets there.
struct NativeText {
  std::string source;
  std::vector<std::uint32_t> entries;  ///< instructions at which the code can be entered, in order
  /// By instruction: the one whose counter says how often the access took the short way; itself
  /// or the first of its group. Others: kNoBlock.
  std::vector<std::uint32_t> counted_by;
  std::vector<std::uint32_t>
      passes;                  ///< by instruction: over the banks, where lanes conflict; or 0
  std::vector<bool> uniform;   ///< by instruction: an access by all lanes to one address
  std::uint32_t executed = 0;  ///< instructions
  std::uint32_t native = 0;    ///< of those, that need no handler
};

/// The error says why there is none.
Result<NativeText> native_text(const Kernel& kernel, const NativeVariant& variant);

/// Types and operations, the same for all kernels.
std::string_view native_prelude();

}  // namespace warpwright::simt
