// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warpwright::prompt {

/// The program in a reply, or why there is none.
struct Extraction {
  bool ok = false;
  std::string source;  ///< ok: valid UTF-8 with LF line ends, ending in one
  std::string reason;  ///< not ok: one sentence, fit for people and for the model
};

/// Larger sources are refused: no kernel needs them and every stage behind would pay.
inline constexpr std::size_t kMaxProgramBytes = std::size_t{1} << 20;

/// Reads the .cu file out of any sensible answer: fenced or bare, split over blocks, behind
/// thinking, HTML-escaped or in JSON. `finish_reason` is the provider's ("stop", "length", ...).
/// Takes any bytes, in time linear in their number.
Extraction extract_source(std::string_view reply, std::string_view finish_reason = {});

}  // namespace warpwright::prompt
