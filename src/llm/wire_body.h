// SPDX-License-Identifier: Apache-2.0
#pragma once

// Private to src/llm/*.cpp: what request bodies of all wire formats have in common.

#include "llm/json_reading.h"
#include "llm/wire.h"

namespace warpwright::llm {

inline std::int64_t output_limit(const Asking& asking, const Request& request) {
  return request.max_output_tokens > 0 ? request.max_output_tokens
                                       : asking.options.max_output_tokens;
}

inline std::optional<double> temperature_of(const Asking& asking, const Request& request) {
  return request.temperature ? request.temperature : asking.options.temperature;
}

/// The user's extra fields win over ours, null removes one. `n` is never sent: it is not portable,
/// and k samples are k requests.
inline Status merge_extra(Json& body, std::string_view extra) {
  if (!extra.empty()) {
    const Json fields = parse_json(extra);
    if (!fields.is_object()) {
      return Error{"the extra body fields are not a JSON object: " + std::string(extra)};
    }
    body.merge_patch(fields);
  }
  body.erase("n");
  return {};
}

}  // namespace warpwright::llm
