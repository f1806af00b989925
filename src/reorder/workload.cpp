// SPDX-License-Identifier: Apache-2.0
#include "reorder/workload.h"

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/mix.h"
#include "core/json_reader.h"
#include "core/task.h"

namespace warpwright::reorder {

namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kMostElements = std::uint64_t{1} << 31;

constexpr std::pair<std::string_view, ElementType> kTypes[] = {
    {"f32", ElementType::f32},   {"i32", ElementType::i32}, {"f16", ElementType::f16},
    {"bf16", ElementType::bf16}, {"f64", ElementType::f64}, {"u32", ElementType::u32},
    {"i64", ElementType::i64},   {"u8", ElementType::u8},   {"i8", ElementType::i8}};

Result<ElementType> type_named(const std::string& name) {
  for (const auto& [text, type] : kTypes)
    if (text == name) return type;
  return Error{"a workload names the type \"" + name + "\", which is none"};
}

std::string_view type_name(ElementType wanted) {
  for (const auto& [text, type] : kTypes)
    if (type == wanted) return text;
  return "u8";
}

void append(std::string& bytes, const void* value, std::size_t size) {
  bytes.resize((bytes.size() + size - 1) / size * size);
  bytes.append(static_cast<const char*>(value), size);
}

Status add_pointer(const Json& row, const char* name, WorkBuffer::Role role, WorkCase& item,
                   KernelLaunch& launch) {
  WorkBuffer buffer{.role = role};
  WW_TRY(buffer.type, type_named(row.at(name).get<std::string>()));
  buffer.count = row.at("count").get<std::uint64_t>();
  if (buffer.count == 0 || buffer.count > kMostElements)
    return Error{"a workload's buffer has no size that can be had"};
  const std::uint64_t nothing = 0;
  append(launch.parameters, &nothing, sizeof nothing);
  const std::size_t at = launch.parameters.size() - sizeof nothing;
  launch.parameter_offsets.push_back(static_cast<std::uint32_t>(at));
  launch.pointers.push_back({at, {static_cast<std::uint32_t>(item.plan.buffers.size()), 0}});
  item.plan.buffers.push_back({.kind = BufferKind::argument,
                               .argument = static_cast<std::uint32_t>(item.buffers.size()),
                               .bytes = buffer.count * bytes_of(buffer.type)});
  item.buffers.push_back(buffer);
  return {};
}

void add_scalar(const Json& row, WorkCase& item, KernelLaunch& launch) {
  if (row.contains("f32")) {
    const auto value = row.at("f32").get<float>();
    append(launch.parameters, &value, sizeof value);
  } else if (row.contains("i64")) {
    const auto value = row.at("i64").get<std::int64_t>();
    append(launch.parameters, &value, sizeof value);
  } else {
    const auto value = row.at("i32").get<std::int32_t>();
    append(launch.parameters, &value, sizeof value);
  }
  launch.parameter_offsets.push_back(
      static_cast<std::uint32_t>(launch.parameters.size() - (row.contains("i64") ? 8 : 4)));
  item.buffers.push_back({.count = 0});
}

Dim3 dim_of(const Json& row) {
  Dim3 dim;
  dim.x = row.at(0).get<std::uint32_t>();
  if (row.size() > 1) dim.y = row.at(1).get<std::uint32_t>();
  if (row.size() > 2) dim.z = row.at(2).get<std::uint32_t>();
  return dim;
}

constexpr std::pair<std::string_view, WorkBuffer::Role> kRoles[] = {
    {"in", WorkBuffer::Role::in},
    {"out", WorkBuffer::Role::out},
    {"inout", WorkBuffer::Role::inout}};

Result<WorkCase> recorded_case(const Json& row) {
  WorkCase item;
  WW_TRY(item.plan, plan_from_text(row.at("plan").get<std::string>()));
  for (const Json& each : row.at("buffers")) {
    WorkBuffer buffer;
    for (const auto& [name, role] : kRoles)
      if (each.at("role").get<std::string>() == name) buffer.role = role;
    WW_TRY(buffer.type, type_named(each.at("type").get<std::string>()));
    buffer.count = each.at("count").get<std::uint64_t>();
    if (buffer.count > kMostElements) return Error{"a workload's buffer is too large"};
    item.buffers.push_back(buffer);
  }
  if (row.contains("size")) item.size = row.at("size").get<std::map<std::string, double>>();
  for (const PlanBuffer& buffer : item.plan.buffers)
    if (buffer.kind == BufferKind::argument && buffer.argument >= item.buffers.size())
      return Error{"a workload's plan has more arguments than buffers"};
  return item;
}

Result<WorkCase> case_of(const Json& row, const std::string& kernel) {
  if (row.contains("plan")) return recorded_case(row);
  WorkCase item;
  KernelLaunch launch{.kernel = kernel,
                      .grid = dim_of(row.at("grid")),
                      .block = dim_of(row.at("block")),
                      .shared_bytes = row.value("shared", 0U)};
  for (const Json& argument : row.at("arguments")) {
    if (argument.contains("in")) {
      WW_CHECK(add_pointer(argument, "in", WorkBuffer::Role::in, item, launch));
    } else if (argument.contains("out")) {
      WW_CHECK(add_pointer(argument, "out", WorkBuffer::Role::out, item, launch));
    } else if (argument.contains("inout")) {
      WW_CHECK(add_pointer(argument, "inout", WorkBuffer::Role::inout, item, launch));
    } else {
      add_scalar(argument, item, launch);
    }
  }
  item.plan.steps.emplace_back(std::move(launch));
  WW_CHECK(check_plan(item.plan));
  return item;
}

enum class SetKind : int { plain, whole, bits, zeros, extremes };

SetKind kind_of(std::uint64_t set) {
  static constexpr SetKind kKinds[] = {SetKind::plain, SetKind::plain,   SetKind::whole,
                                       SetKind::plain, SetKind::bits,    SetKind::plain,
                                       SetKind::zeros, SetKind::extremes};
  return kKinds[set % std::size(kKinds)];
}

std::uint16_t half_of(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  const std::uint32_t sign = bits >> 16 & 0x8000;
  const int exponent = static_cast<int>(bits >> 23 & 255) - 112;
  if (exponent <= 0) return static_cast<std::uint16_t>(sign);
  if (exponent >= 31) return static_cast<std::uint16_t>(sign | 0x7bff);
  return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(exponent) << 10 |
                                    (bits >> 13 & 0x3ff));
}

double number_of(SetKind kind, std::uint64_t random) {
  const double unit = static_cast<double>(random >> 11) * 0x1p-53;
  if (kind == SetKind::whole) return static_cast<double>(random % 9) - 4;
  if (kind == SetKind::extremes) return std::ldexp(unit - 0.5, static_cast<int>(random % 24) - 12);
  return 4 * unit - 2;
}

void put(std::string& bytes, std::size_t at, ElementType type, SetKind kind, std::uint64_t random) {
  const auto store = [&](auto value) { std::memcpy(bytes.data() + at, &value, sizeof value); };
  const double number = number_of(kind, random);
  switch (type) {
    case ElementType::f32:
      return store(static_cast<float>(number));
    case ElementType::f64:
      return store(number);
    case ElementType::f16:
      return store(half_of(static_cast<float>(number)));
    case ElementType::bf16: {
      const auto value = static_cast<float>(number);
      std::uint32_t whole = 0;
      std::memcpy(&whole, &value, sizeof whole);
      return store(static_cast<std::uint16_t>(whole >> 16));
    }
    // Whole numbers may be indices: those stay small whatever the kind.
    case ElementType::i32:
      return store(static_cast<std::int32_t>(random % 1024));
    case ElementType::u32:
      return store(static_cast<std::uint32_t>(random % 1024));
    case ElementType::i64:
      return store(static_cast<std::int64_t>(random % 1024));
    case ElementType::u8:
    case ElementType::i8:
      return store(static_cast<std::uint8_t>(random));
  }
}

bool is_float(ElementType type) {
  return type == ElementType::f32 || type == ElementType::f64 || type == ElementType::f16 ||
         type == ElementType::bf16;
}

}  // namespace

Result<Workload> workload_from(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return Error{"a workload must be a JSON object (docs/sass.md)"};
  try {
    Workload workload{.kernel = json.at("kernel").get<std::string>()};
    for (const Json& row : json.at("cases")) {
      WW_TRY(auto item, case_of(row, workload.kernel));
      workload.cases.push_back(std::move(item));
    }
    if (workload.cases.empty()) return Error{"a workload needs at least one case"};
    if (json.contains("task")) workload.task = json.at("task").get<std::string>();
    return workload;
  } catch (const Json::exception& error) {
    return Error{std::string("a workload is not as docs/sass.md has it: ") + error.what()};
  }
}

std::string workload_text(const Workload& workload) {
  Json json = {{"kernel", workload.kernel}, {"cases", Json::array()}};
  for (const WorkCase& item : workload.cases) {
    Json row = {{"plan", plan_to_text(item.plan)}, {"buffers", Json::array()}};
    for (const WorkBuffer& buffer : item.buffers)
      row["buffers"].push_back({{"role", kRoles[static_cast<int>(buffer.role)].first},
                                {"type", type_name(buffer.type)},
                                {"count", buffer.count}});
    if (!item.size.empty()) row["size"] = item.size;
    json["cases"].push_back(std::move(row));
  }
  if (!workload.task.empty()) json["task"] = workload.task;
  return dump_json(json, 1) + "\n";
}

std::string input_bytes(const WorkBuffer& buffer, std::uint64_t argument, std::uint64_t set) {
  // A tile of numbers, repeated: a set needs other values, not all of them different.
  constexpr std::size_t kTile = (std::size_t{1} << 18) - 24;
  const std::size_t element = bytes_of(buffer.type);
  const std::size_t bytes = buffer.count * element;
  const SetKind kind = kind_of(set);
  std::string result(bytes, '\0');
  if (kind == SetKind::zeros) return result;
  const std::size_t tile = std::min(bytes, kTile / element * element);
  std::uint64_t state = mixed_bits(set * 1315423911U + argument * 2654435761U + 17);
  for (std::size_t at = 0; at + element <= tile; at += element) {
    state += kMixStep;
    const std::uint64_t random = mixed_bits(state);
    if (kind == SetKind::bits && is_float(buffer.type)) {
      std::memcpy(result.data() + at, &random, std::min<std::size_t>(element, sizeof random));
    } else {
      put(result, at, buffer.type, kind, random);
    }
  }
  for (std::size_t at = tile; at < bytes; at += tile)
    std::memcpy(result.data() + at, result.data(), std::min(tile, bytes - at));
  return result;
}

InputSource inputs_by_type(const Workload& workload) {
  return [&workload](std::size_t item, std::size_t argument,
                     std::uint64_t set) -> Result<std::string> {
    return input_bytes(workload.cases.at(item).buffers.at(argument), argument, set);
  };
}

}  // namespace warpwright::reorder
