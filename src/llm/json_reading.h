// SPDX-License-Identifier: Apache-2.0
#pragma once

// Private to src/llm/*.cpp: the one header here that includes the JSON library.

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "llm/answer.h"

namespace warpwright::llm {

using Json = nlohmann::json;

/// A discarded value when the text is not JSON; never throws. Nesting deeper than a few hundred
/// levels is not JSON to us either: the library's recursion would be the provider's to choose.
Json parse_json(std::string_view text);

/// UTF-8 damage is replaced, not thrown at.
std::string dump_json(const Json& value);

/// Null when the value is no object or has no such member.
const Json& member(const Json& object, const char* name);

/// Empty when it is not a string.
std::string text_of(const Json& value);

/// 0 when it is not a number that fits; negative numbers are 0 too, because all counts of ours are
/// counts.
std::int64_t count_of(const Json& value);

/// {"error": {...}} and its relatives. The message is empty when the document is no error.
ProviderError provider_error(const Json& document);

/// The providers' shapes of usage brought into ours, see docs/models.md.
Usage usage_of_openai(const Json& usage);
Usage usage_of_anthropic(const Json& usage);

/// Ours, as stored in the spool and in recordings.
Json usage_to_json(const Usage& usage);
Usage usage_from_json(const Json& value);

}  // namespace warpwright::llm
