// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>

#include "simt/machine.h"

namespace warpwright::simt {

/// Everything that a launch reports except its time and engine, one fact a line: two engines must
/// agree on all of it.
inline std::string report_text(const LaunchReport& r) {
  std::string t;
  const auto add = [&]<class... A>(fmt::format_string<A...> f, A&&... a) {
    fmt::format_to(std::back_inserter(t), f, std::forward<A>(a)...);
    t += '\n';
  };
  for (const Fault& f : r.faults) add("{} [{}]", f.describe(), f.occurrences);
  const Counts& c = r.counts;
  for (std::size_t k = 0; k < kOpClasses; ++k)
    if (c.by_class[k].warps != 0)
      add("{} {} {}", name_of(static_cast<OpClass>(k)), c.by_class[k].warps, c.by_class[k].lanes);
  add("flops {} {} {} {} {}", c.flops.fp16, c.flops.fp32, c.flops.fp64, c.flops.special,
      c.flops.tensor);
  add("global {} {} {} {} {} {}", c.global_load_sectors, c.global_store_sectors,
      c.global_load_requests, c.global_store_requests, c.global_load_bytes, c.global_store_bytes);
  add("shared {} {}", c.shared_wavefronts, c.shared_ideal_wavefronts);
  add("atomic {} {} {} {} {} {}", c.atomic_requests, c.atomic_lanes, c.atomic_serialised,
      c.atomic_serialised_shared, c.atomic_hottest, c.atomic_hottest_switches);
  add("barriers {} branches {} {} local {} longest {}", c.barriers, c.branches,
      c.divergent_branches, c.local_sectors, c.longest_warp);
  for (const LineTraffic& l : r.traffic)
    add("traffic {}:{} {} {} {} {} {} {} {} {} {}", l.line, l.ptx_line, l.is_store, l.is_shared,
        l.requests, l.lanes, l.bytes, l.sectors, l.wavefronts, l.ideal_wavefronts, l.file);
  for (const LineDivergence& l : r.divergence)
    add("divergence {}:{} {} {}", l.line, l.ptx_line, l.branches, l.divergent);
  for (const LineCount& l : r.lines)
    add("line {}:{} {} {} {} {} {} {} {} {} {}", l.line, l.ptx_line, l.warps, l.lanes, l.flops,
        l.most, l.atomic_requests, l.atomic_lanes, l.atomic_serialised, l.local_sectors,
        l.barriers);
  add("blocks {} {} touched {}", r.blocks_total, r.blocks_run, r.touched_bytes);
  add("printed {}", r.printed);
  return t;
}

}  // namespace warpwright::simt
