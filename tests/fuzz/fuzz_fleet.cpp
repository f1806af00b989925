// SPDX-License-Identifier: Apache-2.0
// The texts of a spool, and what Slurm's programs print.
#include <cstdint>
#include <string_view>

#include "fleet/card.h"
#include "fleet/slurm.h"
#include "fleet/spool.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpwright;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto card = fleet::card_from_json(text); card.ok()) {
    if (!fleet::card_from_json(fleet::card_to_json(*card)).ok()) __builtin_trap();
  }
  if (const auto rules = fleet::rules_from_json(text); rules.ok()) {
    if (!fleet::rules_from_json(fleet::rules_to_json(*rules)).ok()) __builtin_trap();
  }
  static_cast<void>(fleet::slurm_options(text, {}));
  if (fleet::living_jobs(text) < 0) __builtin_trap();
  const auto name = fleet::spool_name(text);
  if (name.empty() || name.front() == '.' || name.find('/') != std::string::npos) __builtin_trap();
  return 0;
}
