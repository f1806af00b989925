// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mcp/rpc.h"

namespace warpwright::mcp {

/// What is wrong with a value under a JSON Schema, as a sentence that names the field; empty when
/// nothing is. Knows what our own schemas use: type, properties, required, additionalProperties,
/// items, enum, minimum, maximum, minLength, maxLength, minItems, maxItems. A schema that says
/// anything else that constrains is our bug and aborts.
std::string schema_objection(const Json& schema, const Json& value, const std::string& where = "");

// How our own schemas are written.

struct Field {
  std::string name;
  Json schema;
  bool required = false;
};
Field need(std::string name, Json schema);
Field may(std::string name, Json schema);

Json text(const std::string& description = "", std::int64_t max_bytes = 0);  ///< 0: any
Json word(const std::string& description, const std::vector<std::string>& words);
Json flag(const std::string& description = "");
Json number(const std::string& description = "", std::optional<double> least = std::nullopt,
            std::optional<double> most = std::nullopt);
Json integer(const std::string& description = "", std::optional<std::int64_t> least = std::nullopt,
             std::optional<std::int64_t> most = std::nullopt);
Json list(Json items, const std::string& description = "", std::size_t most = 0);  ///< 0: any
/// An object with these fields and no others, and one that may have more.
Json closed(const std::vector<Field>& fields, const std::string& description = "");
Json open(const std::vector<Field>& fields);

}  // namespace warpwright::mcp
