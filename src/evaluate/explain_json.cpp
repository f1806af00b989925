// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "core/evaluation_json.h"
#include "core/json_reader.h"
#include "device/kernel_name.h"
#include "device/simt_report_json.h"
#include "evaluate/explain_lines.h"

namespace warpwright::evaluate {

namespace {

using Json = nlohmann::json;

Json access_json(const LineAccess& a) {
  return {{"requests", a.requests},
          {"bytes", a.bytes},
          {"sectors_per_request", ratio(a.sectors, a.requests)},
          {"ideal_sectors_per_request", ideal_sectors(a)},
          {"wasted_bytes", wasted_bytes(a)}};
}

Json line_json(std::uint32_t number, const LineFacts& f) {
  Json line = {{"line", number},
               {"executions", f.executions},
               {"warp_instructions", f.warp_instructions},
               {"lane_instructions", f.lane_instructions},
               {"flops", f.flops}};
  if (f.loads.requests > 0) line["global_load"] = access_json(f.loads);
  if (f.stores.requests > 0) line["global_store"] = access_json(f.stores);
  const auto shared = [&](const char* name, const LineAccess& a) {
    if (a.requests > 0)
      line[name] = {{"requests", a.requests},
                    {"bank_conflict_factor", ratio(a.wavefronts, a.ideal_wavefronts)}};
  };
  shared("shared_load", f.shared_loads);
  shared("shared_store", f.shared_stores);
  if (f.branches > 0) {
    line["branches"] = f.branches;
    line["divergent_share"] = ratio(f.divergent, f.branches);
  }
  if (f.atomics > 0) {
    line["atomics"] = f.atomics;
    line["atomics_waiting_share"] = ratio(f.atomics_waiting, f.atomics);
  }
  if (f.local_sectors > 0) line["local_sectors"] = f.local_sectors;
  return line;
}

Json launch_json(const device::LaunchDetail& launch) {
  const simt::Estimate& e = launch.estimate;
  Json parts = Json::object();
  for (const auto& part : e.parts) parts[part.name] = part.us;
  Json json = Json::parse(device::launch_report_json(launch.report));
  json["kernel"] = device::kernel_name(launch.kernel);
  json["estimate"] = {{"us", e.us},
                      {"is_estimate", true},
                      {"bottleneck", e.bottleneck},
                      {"parts_us", parts},
                      {"sampled", e.sampled}};
  json["occupancy"] = {
      {"share", e.occupancy}, {"blocks_per_sm", e.blocks_per_sm}, {"limiter", e.limiter}};
  return json;
}

}  // namespace

std::string explanation_json(const Explanation& e) {
  Json document = {{"format", 1},
                   {"task", e.task},
                   {"target", e.target.name},
                   {"evaluation", Json::parse(evaluation_to_json(e.evaluation))},
                   {"checked_size", e.checked_size},
                   {"counted_size", e.counted_size},
                   {"estimate_us", e.estimate_us},
                   {"faults", Json::array()},
                   {"lines", Json::array()},
                   {"launches", Json::array()}};
  for (const simt::Fault& fault : e.faults())
    document["faults"].push_back(Json::parse(device::launch_fault_json(fault)));
  for (const auto& [number, facts] : line_facts(e))
    document["lines"].push_back(line_json(number, facts));
  for (const device::LaunchDetail& launch : e.counted)
    document["launches"].push_back(launch_json(launch));
  return dump_json(document, 2);
}

}  // namespace warpwright::evaluate
