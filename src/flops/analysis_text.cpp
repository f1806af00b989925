// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "flops/analysis.h"

namespace warpwright::flop {

namespace {

using Json = nlohmann::ordered_json;

/// Counts are whole numbers; an estimate is rounded to one.
Json whole(double value) { return static_cast<std::uint64_t>(std::llround(value)); }

Json dims(const simt::Dim3& d) { return Json::array({d.x, d.y, d.z}); }

Json launch_json(const LaunchCount& launch) {
  return {{"kernel", launch.kernel},
          {"launch", launch.launch},
          {"grid", dims(launch.grid)},
          {"block", dims(launch.block)},
          {"sp_flops", whole(launch.flops.sp)},
          {"dp_flops", whole(launch.flops.dp)},
          {"half_flops", whole(launch.flops.half)},
          {"tensor_flops", whole(launch.flops.tensor)},
          {"bytes", whole(launch.bytes)},
          {"confidence", name_of(launch.confidence)},
          {"low", whole(launch.low)},
          {"high", whole(launch.high)},
          {"signature", launch.signature}};
}

std::string dims_text(const simt::Dim3& d) { return fmt::format("({}, {}, {})", d.x, d.y, d.z); }

}  // namespace

std::string analysis_json(const Analysis& analysis) {
  Json json = {{"kernels", Json::array()}, {"missing", analysis.missing}};
  for (const LaunchCount& launch : analysis.launches)
    json["kernels"].push_back(launch_json(launch));
  if (!analysis.reason.empty()) json["reason"] = analysis.reason;
  if (!analysis.notes.empty()) json["notes"] = analysis.notes;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string analysis_text(const Analysis& analysis) {
  std::string text;
  for (const LaunchCount& launch : analysis.launches) {
    const double total = launch.flops.total();
    text += fmt::format("{} #{} grid {} block {}\n", launch.kernel, launch.launch,
                        dims_text(launch.grid), dims_text(launch.block));
    text += fmt::format("  SP {:.6g}  DP {:.6g}  half {:.6g}  tensor {:.6g}  bytes {:.6g}",
                        launch.flops.sp, launch.flops.dp, launch.flops.half, launch.flops.tensor,
                        launch.bytes);
    if (launch.bytes > 0) text += fmt::format("  FLOP/byte {:.4g}", total / launch.bytes);
    text += fmt::format("  {}", name_of(launch.confidence));
    if (launch.confidence != Confidence::exact)
      text += fmt::format(" [{:.6g}, {:.6g}]", launch.low, launch.high);
    text += "\n";
    for (const PartCount& part : launch.opcodes) {
      if (part.implicit.empty()) continue;
      text += fmt::format("  of these {:.6g} by {} ({})\n", part.flops.total(), part.implicit,
                          part.name);
    }
  }
  for (const std::string& each : analysis.missing) text += "missing: " + each + "\n";
  for (const std::string& note : analysis.notes) text += "note: " + note + "\n";
  return text;
}

}  // namespace warpwright::flop
