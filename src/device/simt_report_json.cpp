// SPDX-License-Identifier: Apache-2.0
#include "device/simt_report_json.h"

#include <nlohmann/json.hpp>
#include "core/json_reader.h"

namespace warpwright::device {
namespace {

using Json = nlohmann::json;

Json dim_json(const simt::Dim3& d) { return {d.x, d.y, d.z}; }

Json to_json(const simt::Fault& f) {
  return {{"kind", id_of(f.kind)},
          {"kernel", f.kernel},
          {"file", f.file},
          {"line", f.line},
          {"ptx_line", f.ptx_line},
          {"block", dim_json(f.block)},
          {"thread", dim_json(f.thread)},
          {"space", f.space},
          {"address", f.address},
          {"object", f.object},
          {"offset", f.offset},
          {"detail", f.detail},
          {"occurrences", f.occurrences}};
}

Json to_json(const simt::Counts& c) {
  Json classes = Json::object();
  for (std::size_t k = 0; k < simt::kOpClasses; ++k)
    if (c.by_class[k].warps != 0)
      classes[std::string(name_of(static_cast<simt::OpClass>(k)))] = {
          {"warps", c.by_class[k].warps}, {"lanes", c.by_class[k].lanes}};
  return {{"warp_instructions", c.warp_instructions()},
          {"lane_instructions", c.lane_instructions()},
          {"instructions", classes},
          {"flops",
           {{"single", c.flops.fp32},
            {"double", c.flops.fp64},
            {"half", c.flops.fp16},
            {"tensor", c.flops.tensor},
            {"special", c.flops.special}}},
          {"global_load",
           {{"requests", c.global_load_requests},
            {"bytes", c.global_load_bytes},
            {"sectors", c.global_load_sectors}}},
          {"global_store",
           {{"requests", c.global_store_requests},
            {"bytes", c.global_store_bytes},
            {"sectors", c.global_store_sectors}}},
          {"shared",
           {{"wavefronts", c.shared_wavefronts}, {"ideal_wavefronts", c.shared_ideal_wavefronts}}},
          {"local_sectors", c.local_sectors},
          {"atomics",
           {{"requests", c.atomic_requests},
            {"lanes", c.atomic_lanes},
            {"serialised", c.atomic_serialised},
            {"hottest", c.atomic_hottest},
            {"hottest_switches", c.atomic_hottest_switches}}},
          {"barriers", c.barriers},
          {"branches", c.branches},
          {"divergent_branches", c.divergent_branches},
          {"longest_warp", c.longest_warp}};
}

Json to_json(const simt::LineTraffic& t) {
  return {{"file", t.file},
          {"line", t.line},
          {"ptx_line", t.ptx_line},
          {"store", t.is_store},
          {"shared", t.is_shared},
          {"requests", t.requests},
          {"lanes", t.lanes},
          {"bytes", t.bytes},
          {"sectors", t.sectors},
          {"wasted_bytes", t.is_shared ? 0 : t.wasted_bytes()},
          {"wavefronts", t.wavefronts},
          {"ideal_wavefronts", t.ideal_wavefronts}};
}

Json to_json(const simt::LineCount& c) {
  return {{"file", c.file},
          {"line", c.line},
          {"ptx_line", c.ptx_line},
          {"warp_instructions", c.warps},
          {"lane_instructions", c.lanes},
          {"executions", c.most},
          {"flops", c.flops},
          {"atomic_lanes", c.atomic_lanes},
          {"atomic_serialised", c.atomic_serialised},
          {"local_sectors", c.local_sectors},
          {"barriers", c.barriers}};
}

Json to_json(const simt::Unchecked& u) { return {{"kind", u.kind}, {"reason", u.reason}}; }

Json to_json(const simt::LineDivergence& d) {
  return {{"file", d.file},
          {"line", d.line},
          {"ptx_line", d.ptx_line},
          {"branches", d.branches},
          {"divergent", d.divergent}};
}

template <class T>
Json list_json(const std::vector<T>& items) {
  Json list = Json::array();
  for (const T& item : items) list.push_back(to_json(item));
  return list;
}

std::string text_of(const Json& json) { return dump_json(json); }

}  // namespace

std::string launch_fault_json(const simt::Fault& fault) { return text_of(to_json(fault)); }

std::string launch_report_json(const simt::LaunchReport& r) {
  return text_of({{"grid", dim_json(r.grid)},
                  {"block", dim_json(r.block)},
                  {"blocks_total", r.blocks_total},
                  {"blocks_run", r.blocks_run},
                  {"shared_bytes", r.shared_bytes},
                  {"registers", r.registers},
                  {"touched_bytes", r.touched_bytes},
                  {"touched_of_grid", r.touched_of_grid},
                  {"faults", list_json(r.faults)},
                  {"unchecked", list_json(r.unchecked)},
                  {"counts", to_json(r.counts)},
                  {"lines", list_json(r.lines)},
                  {"traffic", list_json(r.traffic)},
                  {"divergence", list_json(r.divergence)},
                  {"printed", r.printed}});
}

}  // namespace warpwright::device
