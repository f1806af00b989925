// SPDX-License-Identifier: Apache-2.0
#include "mcp/schema.h"

#include <array>

#include "base/assert.h"
#include "core/closest.h"
#include "core/json_reader.h"

namespace warpwright::mcp {

namespace {

std::string called(const std::string& where) {
  return where.empty() ? "the object" : "'" + where + "'";
}

std::string inner(const std::string& where, const std::string& key) {
  return where.empty() ? key : where + "." + key;
}

bool has_type(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  ASSERT(type == "null", "a schema names the type " + type);
  return value.is_null();
}

std::string type_objection(const Json& types, const Json& value, const std::string& where) {
  std::string wanted;
  for (const auto& type : types.is_array() ? types : Json::array({types})) {
    if (has_type(value, type.get<std::string>())) return "";
    wanted += (wanted.empty() ? "" : " or ") + type.get<std::string>();
  }
  return called(where) + " must be of type " + wanted;
}

std::string range_objection(const Json& schema, const Json& value, const std::string& where) {
  struct Bound {
    const char* key;
    double size;
    bool lower;
    const char* of;
  };
  double number = 0;
  if (value.is_number()) number = value.get<double>();
  double length = 0;
  if (value.is_string()) length = static_cast<double>(value.get_ref<const std::string&>().size());
  const double items = value.is_array() ? static_cast<double>(value.size()) : 0;
  const std::array<Bound, 6> bounds = {{{"minimum", number, true, ""},
                                        {"maximum", number, false, ""},
                                        {"minLength", length, true, " bytes"},
                                        {"maxLength", length, false, " bytes"},
                                        {"minItems", items, true, " items"},
                                        {"maxItems", items, false, " items"}}};
  for (const Bound& bound : bounds) {
    if (!schema.contains(bound.key)) continue;
    const double limit = schema[bound.key].get<double>();
    if (bound.lower ? bound.size >= limit : bound.size <= limit) continue;
    return called(where) + " must be " + (bound.lower ? "at least " : "at most ") +
           dump_json(schema[bound.key]) + bound.of;
  }
  return "";
}

std::string unknown_field(const Json& properties, const std::string& key,
                          const std::string& where) {
  std::vector<std::string> owned;
  for (const auto& [name, unused] : properties.items()) owned.push_back(name);
  const std::vector<std::string_view> names(owned.begin(), owned.end());
  std::string list;
  for (const auto& name : owned) list += (list.empty() ? "" : ", ") + name;
  return called(where) + " has no field '" + key.substr(0, 80) + "'" +
         did_you_mean(key.substr(0, 80), names) + "; there are: " + (list.empty() ? "none" : list);
}

std::string object_objection(const Json& schema, const Json& value, const std::string& where) {
  static const Json kNone = Json::object();
  const Json& properties = schema.contains("properties") ? schema["properties"] : kNone;
  if (schema.contains("required")) {
    for (const auto& key : schema["required"]) {
      if (!value.contains(key.get<std::string>())) {
        return called(where) + " needs the field '" + key.get<std::string>() + "'";
      }
    }
  }
  const bool closed =
      schema.contains("additionalProperties") && schema["additionalProperties"] == false;
  for (const auto& [key, field] : value.items()) {
    const auto found = properties.find(key);
    if (found == properties.end()) {
      if (closed) return unknown_field(properties, key, where);
      continue;
    }
    if (auto wrong = schema_objection(*found, field, inner(where, key)); !wrong.empty()) {
      return wrong;
    }
  }
  return "";
}

void check_known(const Json& schema) {
  constexpr std::array<std::string_view, 15> kKnown = {
      "type",      "properties",  "required", "additionalProperties",
      "items",     "enum",        "minimum",  "maximum",
      "minLength", "maxLength",   "minItems", "maxItems",
      "title",     "description", "default"};
  for (const auto& [key, unused] : schema.items()) {
    bool known = false;
    for (const auto name : kKnown) known = known || name == key;
    ASSERT(known, "a schema says '" + key + "', which nobody checks");
  }
}

}  // namespace

std::string schema_objection(const Json& schema, const Json& value, const std::string& where) {
  check_known(schema);
  if (schema.contains("type")) {
    if (auto wrong = type_objection(schema["type"], value, where); !wrong.empty()) return wrong;
  }
  if (schema.contains("enum")) {
    bool found = false;
    std::string list;
    for (const auto& word : schema["enum"]) {
      found = found || word == value;
      list += (list.empty() ? "" : ", ") + dump_json(word);
    }
    if (!found) return called(where) + " must be one of " + list;
  }
  if (auto wrong = range_objection(schema, value, where); !wrong.empty()) return wrong;
  if (value.is_object()) return object_objection(schema, value, where);
  if (value.is_array() && schema.contains("items")) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      auto wrong =
          schema_objection(schema["items"], value[i], where + "[" + std::to_string(i) + "]");
      if (!wrong.empty()) return wrong;
    }
  }
  return "";
}

namespace {

Json described(Json schema, const std::string& description) {
  if (!description.empty()) schema["description"] = description;
  return schema;
}

template <class Number>
Json bounded(const char* type, const std::string& description, std::optional<Number> least,
             std::optional<Number> most) {
  Json schema = {{"type", type}};
  if (least) schema["minimum"] = *least;
  if (most) schema["maximum"] = *most;
  return described(std::move(schema), description);
}

}  // namespace

Field need(std::string name, Json schema) { return {std::move(name), std::move(schema), true}; }
Field may(std::string name, Json schema) { return {std::move(name), std::move(schema), false}; }

Json text(const std::string& description, std::int64_t max_bytes) {
  Json schema = {{"type", "string"}};
  if (max_bytes > 0) schema["maxLength"] = max_bytes;
  return described(std::move(schema), description);
}

Json word(const std::string& description, const std::vector<std::string>& words) {
  return described({{"type", "string"}, {"enum", words}}, description);
}

Json flag(const std::string& description) { return described({{"type", "boolean"}}, description); }

Json number(const std::string& description, std::optional<double> least,
            std::optional<double> most) {
  return bounded("number", description, least, most);
}

Json integer(const std::string& description, std::optional<std::int64_t> least,
             std::optional<std::int64_t> most) {
  return bounded("integer", description, least, most);
}

Json list(Json items, const std::string& description, std::size_t most) {
  Json schema = {{"type", "array"}, {"items", std::move(items)}};
  if (most > 0) schema["maxItems"] = most;
  return described(std::move(schema), description);
}

Json open(const std::vector<Field>& fields) {
  Json schema = {{"type", "object"}, {"properties", Json::object()}};
  Json required = Json::array();
  for (const Field& field : fields) {
    schema["properties"][field.name] = field.schema;
    if (field.required) required.push_back(field.name);
  }
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

Json closed(const std::vector<Field>& fields, const std::string& description) {
  Json schema = open(fields);
  schema["additionalProperties"] = false;
  return described(std::move(schema), description);
}

}  // namespace warpwright::mcp
