// SPDX-License-Identifier: Apache-2.0
// The readers of foreign text in build: none may crash, and stripping keeps the length.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "build/cluster_dims.h"
#include "build/diagnostics.h"
#include "build/lint.h"
#include "build/recording.h"
#include "build/resources.h"
#include "ptx/census.h"
#include "ptx/entries.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpwright;
  using namespace warpwright::build;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (strip_source(text).size() != size) std::abort();
  (void)lint(text);
  (void)ptx::census_of(text, "candidate.cu");
  (void)ptx::sass_census(text);
  (void)ptx::entries_of(text).ok();
  (void)parse_diagnostics(text);
  (void)parse_resources(text);
  (void)with_cluster_dims(text, find_cluster_dims(text));
  const auto testimony = read_testimony(text);
  if (!testimony.recordings.empty()) {
    const auto plan = common_plan({testimony.recordings[0], 1, testimony.recordings[0], 2},
                                  [](std::string_view, std::size_t) { return true; });
    if (plan.ok()) (void)check_plan(*plan).ok();
  }
  return 0;
}
