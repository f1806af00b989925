// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/json_reader.h"
#include "flops/analysis.h"
#include "flops/roofline.h"

namespace warpwright::flop {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostLines = 40;  ///< of a source, in JSON

/// Counts are whole numbers; an estimate is rounded to one.
Json whole(double value) { return static_cast<std::int64_t>(std::llround(value)); }

Json dims(const simt::Dim3& d) { return Json::array({d.x, d.y, d.z}); }

/// Of parts, only what is not zero.
Json part_json(std::string_view key, const PartCount& part) {
  Json json = {{std::string(key), part.name}, {"executions", part.lanes}};
  if (part.flops.sp != 0) json["sp_flops"] = whole(part.flops.sp);
  if (part.flops.dp != 0) json["dp_flops"] = whole(part.flops.dp);
  if (part.flops.half != 0) json["half_flops"] = whole(part.flops.half);
  if (part.flops.tensor != 0) json["tensor_flops"] = whole(part.flops.tensor);
  if (part.bytes != 0) json["bytes"] = whole(part.bytes);
  if (!part.implicit.empty() && key != "operation") json["implicit"] = part.implicit;
  return json;
}

Json parts_json(std::string_view key, const std::vector<PartCount>& parts) {
  Json json = Json::array();
  for (const PartCount& part : parts) {
    if (json.size() == kMostLines) break;
    json.push_back(part_json(key, part));
  }
  return json;
}

RooflinePoint point_of(const LaunchCount& launch, const DeviceFacts& device) {
  return roofline_point(launch.kernel, launch.flops, launch.bytes, device);
}

Json roofline_json(const RooflinePoint& point) {
  return {{"intensity", point.intensity},
          {"ridge", point.ridge},
          {"bound_by", point.memory_bound ? "memory" : "arithmetic"},
          {"roof_tflops", point.roof_tflops},
          {"peak_tflops", point.peak_tflops}};
}

Json attributes_json(const Attributes& attributes) {
  Json json = Json::object();
  for (const AttributeRow& row : attribute_rows())
    json[std::string(row.name)] = attributes.*row.member;
  return json;
}

Json launch_json(const Analysis& analysis, const LaunchCount& launch) {
  Json json = {{"kernel", launch.kernel},
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
               {"signature", launch.signature},
               {"implicit", parts_json("operation", launch.implicit)},
               {"opcodes", parts_json("opcode", launch.opcodes)},
               {"lines", parts_json("line", launch.lines)},
               {"roofline", roofline_json(point_of(launch, analysis.device))}};
  const auto attributes = analysis.attributes.find(launch.kernel);
  if (attributes != analysis.attributes.end())
    json["attributes"] = attributes_json(attributes->second);
  return json;
}

std::string dims_text(const simt::Dim3& d) { return fmt::format("({}, {}, {})", d.x, d.y, d.z); }

std::string attributes_text(const Attributes& attributes) {
  std::string text;
  for (const AttributeRow& row : attribute_rows()) {
    if (!(attributes.*row.member)) continue;
    std::string words(row.name);
    for (char& c : words) c = c == '_' ? ' ' : c;
    text += (text.empty() ? "" : ", ") + words;
  }
  return text;
}

std::string launch_text(const Analysis& analysis, const LaunchCount& launch) {
  std::string text = fmt::format("{} #{} grid {} block {}\n", launch.kernel, launch.launch,
                                 dims_text(launch.grid), dims_text(launch.block));
  text += fmt::format("  SP {:.6g}  DP {:.6g}  half {:.6g}  tensor {:.6g}  bytes {:.6g}",
                      launch.flops.sp, launch.flops.dp, launch.flops.half, launch.flops.tensor,
                      launch.bytes);
  if (launch.bytes > 0)
    text += fmt::format("  FLOP/byte {:.4g}", launch.flops.total() / launch.bytes);
  text += fmt::format("  {}", name_of(launch.confidence));
  if (launch.confidence != Confidence::exact)
    text += fmt::format(" [{:.6g}, {:.6g}]", launch.low, launch.high);
  text += "\n";
  for (const PartCount& part : launch.implicit)
    text += fmt::format("  of these {:.6g} by {}\n", part.flops.total(), part.name);
  if (launch.launch != 0) return text;
  constexpr std::size_t kShown = 5;
  for (std::size_t i = 0; i < std::min(kShown, launch.lines.size()); ++i) {
    const PartCount& line = launch.lines[i];
    if (line.flops.total() == 0) break;
    text += fmt::format("  {}: {:.6g} FLOPs, {:.6g} bytes\n", line.name, line.flops.total(),
                        line.bytes);
  }
  const auto attributes = analysis.attributes.find(launch.kernel);
  if (attributes == analysis.attributes.end()) return text;
  if (const std::string words = attributes_text(attributes->second); !words.empty())
    text += "  has " + words + "\n";
  return text;
}

std::vector<RooflinePoint> points_of(const Analysis& analysis) {
  std::vector<RooflinePoint> points;
  for (const LaunchCount& launch : analysis.launches) {
    if (launch.launch == 0) points.push_back(point_of(launch, analysis.device));
  }
  return points;
}

std::string html_text(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '<') {
      safe += "&lt;";
    } else if (c == '>') {
      safe += "&gt;";
    } else if (c == '&') {
      safe += "&amp;";
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace

std::string analysis_json(const Analysis& analysis) {
  Json json = {{"kernels", Json::array()}, {"missing", analysis.missing}};
  for (const LaunchCount& launch : analysis.launches)
    json["kernels"].push_back(launch_json(analysis, launch));
  if (!analysis.reason.empty()) json["reason"] = analysis.reason;
  if (!analysis.notes.empty()) json["notes"] = analysis.notes;
  return dump_json(json, 2) + "\n";
}

std::string analysis_text(const Analysis& analysis) {
  std::string text;
  for (const LaunchCount& launch : analysis.launches) text += launch_text(analysis, launch);
  if (!analysis.launches.empty()) text += roofline_text(points_of(analysis), analysis.device);
  for (const std::string& each : analysis.missing) text += "missing: " + each + "\n";
  for (const std::string& note : analysis.notes) text += "note: " + note + "\n";
  return text;
}

std::string analysis_page(const Analysis& analysis, std::string_view title) {
  std::string page = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" +
                     html_text(title) +
                     "</title>\n<style>body{font-family:sans-serif;max-width:60em;margin:auto}"
                     "td,th{text-align:right;padding:2px 8px}td:first-child{text-align:left}"
                     "</style></head><body>\n<h1>" +
                     html_text(title) + "</h1>\n" +
                     roofline_svg(points_of(analysis), analysis.device) +
                     "<table><tr><th>kernel</th><th>launch</th><th>SP</th><th>DP</th><th>half</th>"
                     "<th>tensor</th><th>bytes</th><th>confidence</th></tr>\n";
  for (const LaunchCount& launch : analysis.launches)
    page += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{:.6g}</td><td>{:.6g}</td><td>{:.6g}</td><td>{:.6g}</td>"
        "<td>{:.6g}</td><td>{}</td></tr>\n",
        html_text(launch.kernel), launch.launch, launch.flops.sp, launch.flops.dp,
        launch.flops.half, launch.flops.tensor, launch.bytes, name_of(launch.confidence));
  page += "</table>\n<pre>";
  for (const LaunchCount& launch : analysis.launches) {
    if (launch.launch == 0) page += html_text(launch_text(analysis, launch));
  }
  return page + "</pre></body></html>\n";
}

}  // namespace warpwright::flop
