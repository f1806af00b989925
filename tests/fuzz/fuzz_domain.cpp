// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/domain.h"

// Any text as a domain: parsing ends, and what its bounds give are members of it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto domain = warpwright::Domain::parse(text);
  if (!domain.ok()) return 0;
  static_cast<void>(domain->words());
  static_cast<void>(domain->names());
  const warpwright::Values values = {{"n", 1000}, {"h", 12}, {"x", -2.5}, {"m", 0}};
  const auto range = domain->at(values);
  if (!range.ok()) return 0;
  for (const double value : {-1e300, -1.0, 0.0, 0.5, 7.0, 1e9, 1e300}) {
    if (!range->contains(range->at_most(value))) std::abort();
  }
  const auto again = warpwright::Domain::parse(domain->text());
  if (!again.ok() || again->words() != domain->words()) std::abort();
  static_cast<void>(warpwright::ordered_domains({{"a", std::string(text)}}).ok());
  return 0;
}
