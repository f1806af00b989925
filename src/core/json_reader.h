// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/result.h"

namespace warpwright {

/// Parses foreign JSON text; the error names `what` and never throws.
inline Result<nlohmann::json> parse_json(std::string_view text, std::string_view what) {
  nlohmann::json parsed = nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
  if (parsed.is_discarded()) return Error{std::string(what) + " is not valid JSON"};
  return parsed;
}

/// JSON text of anything, with damaged UTF-8 replaced instead of an exception.
inline std::string dump_json(const nlohmann::json& value, int indent = -1) {
  return value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Reads the fields of one JSON object. The first missing or mistyped one is remembered; the rest
/// then read as defaults, so that a parser is a straight list of fields with one check at its end.
class JsonReader {
 public:
  JsonReader(const nlohmann::json& object, std::string where)
      : object_(object), where_(std::move(where)) {
    if (!object_.is_object()) fail("", "is not an object");
  }

  std::string text(const char* key) {
    return read<std::string>(key, &nlohmann::json::is_string, "a string");
  }
  bool flag(const char* key) {
    return read<bool>(key, &nlohmann::json::is_boolean, "true or false");
  }

  double number(const char* key) {
    const nlohmann::json* field = find(key);
    if (field == nullptr) return 0;
    if (!field->is_number()) return fail(key, "is not a number"), 0;
    const double value = field->get<double>();
    if (!std::isfinite(value)) return fail(key, "is not finite"), 0;
    return value;
  }

  std::int64_t integer(const char* key, std::int64_t low = std::numeric_limits<std::int64_t>::min(),
                       std::int64_t high = std::numeric_limits<std::int64_t>::max()) {
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
  int small_integer(const char* key) {
    return static_cast<int>(
        integer(key, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
  }

  /// An array (empty when missing or mistyped).
  const nlohmann::json& array(const char* key) {
    static const nlohmann::json kEmpty = nlohmann::json::array();
    const nlohmann::json* field = find(key);
    if (field == nullptr) return kEmpty;
    if (!field->is_array()) return fail(key, "is not an array"), kEmpty;
    return *field;
  }
  const nlohmann::json& object(const char* key) {
    static const nlohmann::json kEmpty = nlohmann::json::object();
    const nlohmann::json* field = find(key);
    if (field == nullptr) return kEmpty;
    if (!field->is_object()) return fail(key, "is not an object"), kEmpty;
    return *field;
  }
  [[nodiscard]] bool has(const char* key) const {
    return object_.is_object() && object_.contains(key) && !object_[key].is_null();
  }

  void fail(const std::string& key, const std::string& why) {
    if (!error_) error_ = Error{where_ + (key.empty() ? "" : ": field '" + key + "'") + " " + why};
  }
  void adopt(const JsonReader& inner) {
    if (!error_ && inner.error_) error_ = inner.error_;
  }
  [[nodiscard]] Status status() const { return error_ ? Status(*error_) : Status(); }

 private:
  const nlohmann::json* find(const char* key) {
    if (!object_.is_object()) return nullptr;
    const auto found = object_.find(key);
    if (found == object_.end()) return fail(key, "is missing"), nullptr;
    return &*found;
  }

  template <class T>
  T read(const char* key, bool (nlohmann::json::*is)() const noexcept, const char* kind) {
    const nlohmann::json* field = find(key);
    if (field == nullptr) return T{};
    if (!(field->*is)()) return fail(key, std::string("is not ") + kind), T{};
    return field->get<T>();
  }

  const nlohmann::json& object_;
  std::string where_;
  std::optional<Error> error_;
};

}  // namespace warpwright
