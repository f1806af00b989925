// SPDX-License-Identifier: Apache-2.0
#include "core/evaluation_json.h"

#include "core/json_reader.h"

namespace warpwright {

using nlohmann::json;

namespace {

json to_json(const Diagnostic& d) {
  return {{"severity", d.severity}, {"line", d.line}, {"column", d.column}, {"message", d.message}};
}

json to_json(const KernelResources& r) {
  return {{"kernel", r.kernel},
          {"registers", r.registers},
          {"spill_store_bytes", r.spill_store_bytes},
          {"spill_load_bytes", r.spill_load_bytes},
          {"stack_bytes", r.stack_bytes},
          {"shared_bytes", r.shared_bytes},
          {"occupancy", r.occupancy}};
}

json to_json(const Measurement& m) {
  return {{"size", m.size},
          {"source", m.source == TimeSource::measured ? "measured" : "estimated"},
          {"median_us", m.median_us},
          {"low_us", m.low_us},
          {"high_us", m.high_us},
          {"samples", m.samples},
          {"floor_us", m.floor_us},
          {"baseline_us", m.baseline_us}};
}

json to_json(const Finding& f) {
  return {{"kind", f.kind}, {"line", f.line}, {"message", f.message}};
}

template <class T>
json list_of(const std::vector<T>& items) {
  json list = json::array();
  for (const auto& item : items) list.push_back(to_json(item));
  return list;
}

void read_item(JsonReader& in, Diagnostic& d) {
  d.severity = in.text("severity");
  d.line = in.small_integer("line");
  d.column = in.small_integer("column");
  d.message = in.text("message");
}

void read_item(JsonReader& in, KernelResources& r) {
  r.kernel = in.text("kernel");
  r.registers = in.small_integer("registers");
  r.spill_store_bytes = in.small_integer("spill_store_bytes");
  r.spill_load_bytes = in.small_integer("spill_load_bytes");
  r.stack_bytes = in.small_integer("stack_bytes");
  r.shared_bytes = in.small_integer("shared_bytes");
  r.occupancy = in.number("occupancy");
}

void read_item(JsonReader& in, Measurement& m) {
  m.size = in.text("size");
  const std::string source = in.text("source");
  if (source != "measured" && source != "estimated")
    in.fail("source", "is neither measured nor estimated");
  m.source = source == "estimated" ? TimeSource::estimated : TimeSource::measured;
  m.median_us = in.number("median_us");
  m.low_us = in.number("low_us");
  m.high_us = in.number("high_us");
  m.samples = in.small_integer("samples");
  m.floor_us = in.number("floor_us");
  m.baseline_us = in.number("baseline_us");
}

void read_item(JsonReader& in, Finding& f) {
  f.kind = in.text("kind");
  f.line = in.small_integer("line");
  f.message = in.text("message");
}

template <class T>
std::vector<T> read_list(JsonReader& reader, const char* key) {
  std::vector<T> items;
  for (const auto& element : reader.array(key)) {
    JsonReader inner(element, std::string("result, element of '") + key + "'");
    read_item(inner, items.emplace_back());
    reader.adopt(inner);
  }
  return items;
}

}  // namespace

std::string evaluation_to_json(const Evaluation& e) {
  const json document = {{"format", 1},
                         {"verdict", name_of(e.verdict)},
                         {"stage", name_of(e.stage)},
                         {"reason", e.reason},
                         {"feedback", e.feedback},
                         {"diagnostics", list_of(e.diagnostics)},
                         {"resources", list_of(e.resources)},
                         {"measurements", list_of(e.measurements)},
                         {"findings", list_of(e.findings)},
                         {"device", e.device},
                         {"seed", e.seed},
                         {"device_s", e.device_s},
                         {"stage_s", e.stage_s}};
  return dump_json(document, 1);
}

Result<Evaluation> evaluation_from_json(std::string_view text) {
  WW_TRY(const json document, parse_json(text, "result"));
  JsonReader in(document, "result");
  if (in.integer("format") != 1) in.fail("format", "is not 1: written by another version");
  Evaluation e;
  if (const auto verdict = verdict_named(in.text("verdict"))) {
    e.verdict = *verdict;
  } else {
    in.fail("verdict", "is not a known verdict");
  }
  if (const auto stage = stage_named(in.text("stage"))) {
    e.stage = *stage;
  } else {
    in.fail("stage", "is not a known stage");
  }
  e.reason = in.text("reason");
  e.feedback = in.text("feedback");
  e.diagnostics = read_list<Diagnostic>(in, "diagnostics");
  e.resources = read_list<KernelResources>(in, "resources");
  e.measurements = read_list<Measurement>(in, "measurements");
  e.findings = read_list<Finding>(in, "findings");
  e.device = in.text("device");
  e.seed = in.text("seed");
  e.device_s = in.number("device_s");
  const json& stages = in.object("stage_s");
  JsonReader seconds(stages, "result, stage_s");
  for (const auto& [name, value] : stages.items()) e.stage_s[name] = seconds.number(name.c_str());
  in.adopt(seconds);
  WW_CHECK(in.status());
  return e;
}

}  // namespace warpwright
