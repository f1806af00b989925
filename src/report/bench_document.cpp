// SPDX-License-Identifier: Apache-2.0
#include "report/bench_document.h"

#include <map>
#include <utility>

#include "core/json_reader.h"
#include "report/run_rows.h"

namespace warpwright::report {

using nlohmann::json;

namespace {

json text_at(const json& object, const char* key) {
  if (!object.is_object()) return "";
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? *found : json("");
}

double number_at(const json& object, const char* key) {
  if (!object.is_object()) return 0;
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? rounded(found->get<double>()) : 0;
}

const json& list_at(const json& object, const char* key) {
  static const json kEmpty = json::array();
  if (!object.is_object()) return kEmpty;
  const auto found = object.find(key);
  return found != object.end() && found->is_array() ? *found : kEmpty;
}

const json& object_at(const json& object, const char* key) {
  static const json kEmpty = json::object();
  if (!object.is_object()) return kEmpty;
  const auto found = object.find(key);
  return found != object.end() && found->is_object() ? *found : kEmpty;
}

/// A measurement row as on a run's page (docs/report.md), without baseline.
json measurement_row(const json& size, const json& timed, double floor_us) {
  return {size,
          number_at(timed, "median_us"),
          number_at(timed, "low_us"),
          number_at(timed, "high_us"),
          number_at(timed, "samples"),
          floor_us,
          0,
          text_at(timed, "source") == "estimated" ? 1 : 0};
}

json timed_json(const json& timed) {
  const json& gain = object_at(timed, "speedup");
  return {{"runner", text_at(timed, "runner")},
          {"name", text_at(timed, "name")},
          {"apart", text_at(timed, timed.contains("apart") ? "apart" : "lane")},
          {"note", text_at(timed, "note")},
          {"source", text_at(timed, "source")},
          {"median", number_at(timed, "median_us")},
          {"low", number_at(timed, "low_us")},
          {"high", number_at(timed, "high_us")},
          {"samples", number_at(timed, "samples")},
          {"share", number_at(timed, "share")},
          {"gain", {number_at(gain, "median"), number_at(gain, "low"), number_at(gain, "high")}}};
}

json row_json(const json& row) {
  json times = json::array();
  for (const auto& timed : list_at(row, "times")) times.push_back(timed_json(timed));
  return {{"task", text_at(row, "task")},        {"size", text_at(row, "size")},
          {"bytes", number_at(row, "bytes")},    {"flops", number_at(row, "flops")},
          {"floor", number_at(row, "floor_us")}, {"regime", text_at(row, "regime")},
          {"best", text_at(row, "best_kernel")}, {"times", times}};
}

json mean_json(const json& mean) {
  return {{"slow", text_at(mean, "slow")},
          {"fast", text_at(mean, "fast")},
          {"gain", number_at(mean, "speedup")},
          {"tasks", number_at(mean, "tasks")},
          {"sizes", number_at(mean, "sizes")},
          {"busy", number_at(mean, "speedup_without_launch_bound")},
          {"busy_tasks", number_at(mean, "tasks_without_launch_bound")}};
}

Result<json> read_bench(std::string_view text, const std::string& file) {
  WW_TRY(json document, parse_json(text, "'" + file + "'"));
  if (!document.is_object() || !document.contains("rows") || !document["rows"].is_array()) {
    return Error{"'" + file +
                 "' is not the JSON of a benchmark: it has no list 'rows'; write one " +
                 "with 'warpwright bench --json FILE'"};
  }
  return document;
}

}  // namespace

Result<Page> bench_page(std::string_view text, const std::string& file, std::int64_t made_ms) {
  WW_TRY(const json bench, read_bench(text, file));
  const json& ceilings = object_at(bench, "ceilings");
  json document = {{"kind", "bench"},
                   {"format", kPageFormat},
                   {"made_ms", made_ms},
                   {"device", text_at(bench, "device")},
                   {"ceilings",
                    {{"source", text_at(ceilings, "source")},
                     {"memory_gb_per_s", number_at(ceilings, "memory_gb_per_s")},
                     {"fp32_tflops", number_at(ceilings, "fp32_tflops")},
                     {"launch_us", number_at(ceilings, "launch_us")}}},
                   {"rows", json::array()},
                   {"means", json::array()},
                   {"troubles", json::array()},
                   {"missing", json::array()}};
  for (const auto& row : list_at(bench, "rows")) document["rows"].push_back(row_json(row));
  for (const auto& mean : list_at(bench, "means")) document["means"].push_back(mean_json(mean));
  for (const auto& trouble : list_at(bench, "troubles")) {
    document["troubles"].push_back(
        {text_at(trouble, "job"), text_at(trouble, "verdict"), text_at(trouble, "reason")});
  }
  for (const auto& job : list_at(bench, "missing")) {
    if (job.is_string()) document["missing"].push_back(job);
  }
  return Page{"Benchmark · Warpwright", dump_json(document), {}, false};
}

Result<json> comparators_of(std::string_view text, const std::string& file,
                            const std::string& task) {
  WW_TRY(const json bench, read_bench(text, file));
  std::map<std::string, json> by_name;
  for (const auto& row : list_at(bench, "rows")) {
    if (text_at(row, "task") != task) continue;
    for (const auto& timed : list_at(row, "times")) {
      const json runner = text_at(timed, "runner");
      if (runner != "library" && runner != "eager" && runner != "compiled") continue;
      by_name[text_at(timed, "name").get<std::string>()].push_back(
          measurement_row(text_at(row, "size"), timed, number_at(row, "floor_us")));
    }
  }
  json list = json::array();
  for (auto& [name, times] : by_name) list.push_back({{"name", name}, {"times", std::move(times)}});
  return list;
}

}  // namespace warpwright::report
