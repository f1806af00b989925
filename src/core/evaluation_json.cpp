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

const char* name_of_source(TimeSource source) {
  return source == TimeSource::measured ? "measured" : "estimated";
}

json to_json(const Measurement& m) {
  json item = {{"size", m.size},           {"source", name_of_source(m.source)},
               {"median_us", m.median_us}, {"low_us", m.low_us},
               {"high_us", m.high_us},     {"samples", m.samples},
               {"floor_us", m.floor_us},   {"baseline_us", m.baseline_us}};
  if (m.checked != Checked()) item["checked"] = m.checked.name();
  if (m.dropped != 0) item["dropped"] = m.dropped;
  if (m.throttled != 0) item["throttled"] = m.throttled;
  if (m.host_us != 0) item["host_us"] = m.host_us;
  if (m.host_excess_us != 0) item["host_excess_us"] = m.host_excess_us;
  if (m.weight != 1) item["weight"] = m.weight;
  if (!m.raw_us.empty()) item["raw_us"] = m.raw_us;
  return item;
}

json to_json(const Ratio& r) { return {{"value", r.value}, {"low", r.low}, {"high", r.high}}; }

json to_json(const SizeComparison& c) {
  return {{"size", c.size},
          {"source", name_of_source(c.source)},
          {"order", name_of(c.order)},
          {"ratio", to_json(c.ratio)},
          {"margin", c.margin},
          {"first_us", c.first_us},
          {"second_us", c.second_us},
          {"first_host_us", c.first_host_us},
          {"second_host_us", c.second_host_us},
          {"pairs", c.pairs},
          {"throttled", c.throttled},
          {"first_raw_us", c.first_raw_us},
          {"second_raw_us", c.second_raw_us}};
}

json to_json(const Finding& f) {
  return {{"kind", f.kind.name()}, {"line", f.line}, {"message", f.message}};
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

TimeSource read_source(JsonReader& in) {
  const std::string source = in.text("source");
  if (source != "measured" && source != "estimated")
    in.fail("source", "is neither measured nor estimated");
  return source == "estimated" ? TimeSource::estimated : TimeSource::measured;
}

std::vector<double> read_numbers(JsonReader& in, const char* key) {
  std::vector<double> numbers;
  const json& list = in.array(key);
  if (list.size() > kMaxRawSamples) return in.fail(key, "is too long"), numbers;
  for (const json& element : list) {
    if (!element.is_number() || !std::isfinite(element.get<double>())) {
      return in.fail(key, "holds something that is not a number"), numbers;
    }
    numbers.push_back(element.get<double>());
  }
  return numbers;
}

void read_item(JsonReader& in, Measurement& m) {
  m.size = in.text("size");
  m.source = read_source(in);
  m.median_us = in.number("median_us");
  m.low_us = in.number("low_us");
  m.high_us = in.number("high_us");
  m.samples = in.small_integer("samples");
  m.floor_us = in.number("floor_us");
  m.baseline_us = in.number("baseline_us");
  // Younger than the format: older results lack them.
  if (in.has("checked")) {
    const auto checked = Checked::named(in.text("checked"));
    if (!checked) in.fail("checked", "is none of all, sampled, none");
    m.checked = checked.value_or(Checked());
  }
  if (in.has("dropped")) m.dropped = in.small_integer("dropped");
  if (in.has("throttled")) m.throttled = in.small_integer("throttled");
  if (in.has("host_us")) m.host_us = in.number("host_us");
  if (in.has("host_excess_us")) m.host_excess_us = in.number("host_excess_us");
  if (in.has("weight")) m.weight = in.number("weight");
  if (!(m.weight > 0)) in.fail("weight", "is not greater than 0");
  if (in.has("raw_us")) m.raw_us = read_numbers(in, "raw_us");
}

Order read_order(JsonReader& in) {
  const auto order = order_named(in.text("order"));
  if (!order) in.fail("order", "is none of same, faster, slower");
  return order.value_or(Order::same);
}

Ratio read_ratio(JsonReader& in) {
  JsonReader inner(in.object("ratio"), "result, ratio");
  const Ratio ratio{inner.number("value"), inner.number("low"), inner.number("high")};
  in.adopt(inner);
  return ratio;
}

void read_item(JsonReader& in, SizeComparison& c) {
  c.size = in.text("size");
  c.source = read_source(in);
  c.order = read_order(in);
  c.ratio = read_ratio(in);
  c.margin = in.number("margin");
  c.first_us = in.number("first_us");
  c.second_us = in.number("second_us");
  // Results of earlier versions have none.
  if (in.has("first_host_us")) c.first_host_us = in.number("first_host_us");
  if (in.has("second_host_us")) c.second_host_us = in.number("second_host_us");
  c.pairs = in.small_integer("pairs");
  c.throttled = in.small_integer("throttled");
  c.first_raw_us = read_numbers(in, "first_raw_us");
  c.second_raw_us = read_numbers(in, "second_raw_us");
}

void read_item(JsonReader& in, Finding& f) {
  f.kind = FindingKind::named(in.text("kind")).value_or(FindingKind("other"));
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

Comparison read_comparison(const json& object, JsonReader& in) {
  JsonReader inner(object, "result, comparison");
  Comparison comparison;
  comparison.failed = inner.text("failed");
  if (!comparison.failed.empty() && comparison.failed != "first" && comparison.failed != "second") {
    inner.fail("failed", "is neither first nor second");
  }
  comparison.order = read_order(inner);
  comparison.ratio = read_ratio(inner);
  comparison.sizes = read_list<SizeComparison>(inner, "sizes");
  in.adopt(inner);
  return comparison;
}

}  // namespace

std::string evaluation_to_json(const Evaluation& e) {
  json document = {{"format", 1},
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
  // For readers; made from the measurements again when a result is read.
  if (const auto sol = sol_score(e); sol && e.valid()) document["sol_score"] = *sol;
  if (!e.unchecked.empty()) document["unchecked"] = e.unchecked;
  if (!e.manifest.empty()) document["manifest"] = e.manifest;
  if (e.comparison) {
    document["comparison"] = {{"failed", e.comparison->failed},
                              {"order", name_of(e.comparison->order)},
                              {"ratio", to_json(e.comparison->ratio)},
                              {"sizes", list_of(e.comparison->sizes)}};
  }
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
  if (in.has("unchecked")) {
    for (const json& what : in.array("unchecked")) {
      if (!what.is_string()) in.fail("unchecked", "holds something that is not a string");
      if (what.is_string()) e.unchecked.push_back(what.get<std::string>());
    }
  }
  e.device = in.text("device");
  e.seed = in.text("seed");
  e.device_s = in.number("device_s");
  const json& stages = in.object("stage_s");
  JsonReader seconds(stages, "result, stage_s");
  for (const auto& [name, value] : stages.items()) e.stage_s[name] = seconds.number(name.c_str());
  in.adopt(seconds);
  if (in.has("manifest")) {
    const json& manifest = in.object("manifest");
    JsonReader facts(manifest, "result, manifest");
    for (const auto& [name, value] : manifest.items()) e.manifest[name] = facts.text(name.c_str());
    in.adopt(facts);
  }
  if (in.has("comparison")) e.comparison = read_comparison(in.object("comparison"), in);
  WW_CHECK(in.status());
  return e;
}

}  // namespace warpwright
