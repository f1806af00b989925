// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/json_reader.h"
#include "flops/static_count.h"

namespace warpwright::flop {

namespace {

using StaticJson = nlohmann::ordered_json;

StaticJson term_json(const StaticTerm& term) {
  return {{"sp_flops", term.flops.sp},
          {"dp_flops", term.flops.dp},
          {"half_flops", term.flops.half},
          {"tensor_flops", term.flops.tensor},
          {"bytes", term.bytes},
          {"times", term.times.text()},
          {"when", term.when},
          {"lines", term.lines}};
}

}  // namespace

std::string static_json(const std::vector<StaticCount>& counts,
                        const std::vector<std::string>& missing, std::string_view reason) {
  StaticJson json = {{"kernels", StaticJson::array()}, {"missing", missing}};
  for (const StaticCount& count : counts) {
    StaticJson row = {{"kernel", count.kernel},
                      {"signature", count.signature},
                      {"parameters", count.parameters},
                      {"per_thread",
                       {{"sp_flops", count.sp.text()},
                        {"dp_flops", count.dp.text()},
                        {"half_flops", count.half.text()},
                        {"tensor_flops", count.tensor.text()},
                        {"bytes", count.bytes.text()}}},
                      {"terms", StaticJson::array()},
                      {"unknown", count.unknown},
                      {"attributes", StaticJson::object()}};
    for (const StaticTerm& term : count.terms) row["terms"].push_back(term_json(term));
    for (const AttributeRow& each : attribute_rows())
      row["attributes"][std::string(each.name)] = count.attributes.*each.member;
    json["kernels"].push_back(std::move(row));
  }
  if (!reason.empty()) json["reason"] = reason;
  return dump_json(json, 2) + "\n";
}

std::string static_text(const std::vector<StaticCount>& counts) {
  std::string text;
  for (const StaticCount& count : counts) {
    text +=
        count.signature + "\n  a thread does: SP " + count.sp.text() + ", DP " + count.dp.text();
    if (!(count.half == Formula())) text += ", half " + count.half.text();
    if (!(count.tensor == Formula())) text += ", tensor " + count.tensor.text();
    text += ", bytes " + count.bytes.text() + "\n";
    for (const StaticTerm& term : count.terms) {
      text += fmt::format("    SP {:g}  DP {:g}  bytes {:g}  times {}", term.flops.sp,
                          term.flops.dp, term.bytes, term.times.text());
      for (std::size_t i = 0; i < term.when.size(); ++i)
        text += (i == 0 ? ", if " : " and ") + term.when[i];
      if (!term.lines.empty()) text += "  (" + term.lines.front() + ")";
      text += "\n";
    }
    for (const std::string& each : count.unknown) text += "  not known: " + each + "\n";
  }
  return text;
}

}  // namespace warpwright::flop
