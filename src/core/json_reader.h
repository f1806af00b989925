// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/result.h"

namespace warpwright {

// Parsing and writing are compiled once, in json_reader.cpp: their templates are large.

/// Parses foreign JSON text; the error names `what` and never throws.
Result<nlohmann::json> parse_json(std::string_view text, std::string_view what);

/// The same where one answer is enough: `is_discarded()` when the text is not valid.
nlohmann::json parse_json_or_discard(std::string_view text);

/// JSON text of anything, with damaged UTF-8 replaced instead of an exception.
std::string dump_json(const nlohmann::json& value, int indent = -1);
/// A template, so that a list in braces is the other one.
template <std::same_as<nlohmann::ordered_json> Json>
std::string dump_json(const Json& value, int indent = -1);

/// Reads the fields of one JSON object. The first missing or mistyped one is remembered; the rest
/// then read as defaults, so that a parser is a straight list of fields with one check at its end.
class JsonReader {
 public:
  JsonReader(const nlohmann::json& object, std::string where);

  std::string text(const char* key);
  bool flag(const char* key);
  double number(const char* key);
  std::int64_t integer(const char* key, std::int64_t low = std::numeric_limits<std::int64_t>::min(),
                       std::int64_t high = std::numeric_limits<std::int64_t>::max());
  int small_integer(const char* key);

  /// An array (empty when missing or mistyped).
  const nlohmann::json& array(const char* key);
  const nlohmann::json& object(const char* key);
  [[nodiscard]] bool has(const char* key) const;

  void fail(const std::string& key, const std::string& why);
  void adopt(const JsonReader& inner);
  [[nodiscard]] Status status() const;

 private:
  const nlohmann::json* find(const char* key);

  const nlohmann::json& object_;
  std::string where_;
  std::optional<Error> error_;
};

}  // namespace warpwright
