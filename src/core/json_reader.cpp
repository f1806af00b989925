// SPDX-License-Identifier: Apache-2.0
#include "core/json_reader.h"

#include <cmath>
#include <utility>

namespace warpwright {
namespace {

template <class Json>
std::string dumped(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

nlohmann::json parse_json_or_discard(std::string_view text) {
  return nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
}

Result<nlohmann::json> parse_json(std::string_view text, std::string_view what) {
  nlohmann::json parsed = parse_json_or_discard(text);
  if (parsed.is_discarded()) return Error{std::string(what) + " is not valid JSON"};
  return parsed;
}

std::string dump_json(const nlohmann::json& value, int indent) { return dumped(value, indent); }
template <std::same_as<nlohmann::ordered_json> Json>
std::string dump_json(const Json& value, int indent) {
  return dumped(value, indent);
}
template std::string dump_json(const nlohmann::ordered_json& value, int indent);

JsonReader::JsonReader(const nlohmann::json& object, std::string where)
    : object_(object), where_(std::move(where)) {
  if (!object_.is_object()) fail("", "is not an object");
}

std::string JsonReader::text(const char* key) {
  const nlohmann::json* field = find(key);
  if (field == nullptr) return {};
  if (!field->is_string()) return fail(key, "is not a string"), std::string();
  return field->get<std::string>();
}

bool JsonReader::flag(const char* key) {
  const nlohmann::json* field = find(key);
  if (field == nullptr) return false;
  if (!field->is_boolean()) return fail(key, "is not true or false"), false;
  return field->get<bool>();
}

double JsonReader::number(const char* key) {
  const nlohmann::json* field = find(key);
  if (field == nullptr) return 0;
  if (!field->is_number()) return fail(key, "is not a number"), 0;
  const double value = field->get<double>();
  if (!std::isfinite(value)) return fail(key, "is not finite"), 0;
  return value;
}

std::int64_t JsonReader::integer(const char* key, std::int64_t low, std::int64_t high) {
  const nlohmann::json* field = find(key);
  if (field == nullptr) return 0;
  if (!field->is_number_integer()) return fail(key, "is not an integer"), 0;
  if (field->is_number_unsigned() &&
      field->get<std::uint64_t>() > static_cast<std::uint64_t>(high)) {
    return fail(key, "is out of range"), 0;
  }
  const auto value = field->get<std::int64_t>();
  if (value < low || value > high) return fail(key, "is out of range"), 0;
  return value;
}

int JsonReader::small_integer(const char* key) {
  return static_cast<int>(
      integer(key, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
}

const nlohmann::json& JsonReader::array(const char* key) {
  static const nlohmann::json kEmpty = nlohmann::json::array();
  const nlohmann::json* field = find(key);
  if (field == nullptr) return kEmpty;
  if (!field->is_array()) return fail(key, "is not an array"), kEmpty;
  return *field;
}

const nlohmann::json& JsonReader::object(const char* key) {
  static const nlohmann::json kEmpty = nlohmann::json::object();
  const nlohmann::json* field = find(key);
  if (field == nullptr) return kEmpty;
  if (!field->is_object()) return fail(key, "is not an object"), kEmpty;
  return *field;
}

bool JsonReader::has(const char* key) const {
  return object_.is_object() && object_.contains(key) && !object_[key].is_null();
}

void JsonReader::fail(const std::string& key, const std::string& why) {
  if (!error_) error_ = Error{where_ + (key.empty() ? "" : ": field '" + key + "'") + " " + why};
}

void JsonReader::adopt(const JsonReader& inner) {
  if (!error_ && inner.error_) error_ = inner.error_;
}

Status JsonReader::status() const { return error_ ? Status(*error_) : Status(); }

const nlohmann::json* JsonReader::find(const char* key) {
  if (!object_.is_object()) return nullptr;
  const auto found = object_.find(key);
  if (found == object_.end()) return fail(key, "is missing"), nullptr;
  return &*found;
}

}  // namespace warpwright
