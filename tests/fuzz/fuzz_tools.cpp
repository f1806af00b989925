// SPDX-License-Identifier: Apache-2.0
// Reports of compute-sanitizer and ncu: any text gives a value, and nothing in it grows without
// bound.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "evaluate/counters.h"
#include "evaluate/sanitizer_report.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpwright::evaluate;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto& fault : parse_sanitizer_report(text, "candidate.cu").faults) {
    if (fault.line < 0 || fault.message.size() > 2000) std::abort();
  }
  if (const auto launches = parse_ncu(text); launches.ok()) findings_of(*launches);
  return 0;
}
