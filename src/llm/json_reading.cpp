// SPDX-License-Identifier: Apache-2.0
#include "llm/json_reading.h"

#include <algorithm>

#include "base/text.h"

namespace warpwright::llm {

namespace {

constexpr int kMaxDepth = 200;

/// Depth of brackets outside strings. Cheap, and enough to refuse hostile nesting.
bool is_shallow(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
      continue;
    }
    if (c == '"') in_string = true;
    if ((c == '[' || c == '{') && ++depth > kMaxDepth) return false;
    if (c == ']' || c == '}') --depth;
  }
  return true;
}

}  // namespace

Json parse_json(std::string_view text) {
  if (!is_shallow(text)) return Json(Json::value_t::discarded);
  // The library rejects damaged UTF-8 in strings; providers do send it, and one broken character
  // must not cost a whole answer.
  Json value = Json::parse(text, nullptr, false);
  if (value.is_discarded()) value = Json::parse(clean_utf8(text), nullptr, false);
  return value;
}

std::string dump_json(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

const Json& member(const Json& object, const char* name) {
  static const Json null;
  if (!object.is_object()) return null;
  const auto found = object.find(name);
  return found == object.end() ? null : *found;
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::int64_t count_of(const Json& value) {
  constexpr double kLimit = 1e15;
  if (!value.is_number()) return 0;
  const double number = value.get<double>();
  return number > 0 && number < kLimit ? static_cast<std::int64_t>(number) : 0;
}

ProviderError provider_error(const Json& document) {
  ProviderError found;
  const Json& error = member(document, "error");
  if (error.is_string()) found.message = text_of(error);
  if (error.is_object()) {
    found.message = text_of(member(error, "message"));
    const Json& code = member(error, "code");
    found.code = code.is_string() ? text_of(code) : text_of(member(error, "type"));
    found.status = static_cast<int>(std::min<std::int64_t>(count_of(code), 999));
    if (found.message.empty()) found.message = shortened(dump_json(error), 600);
  }
  if (found.code == "overloaded_error") found.status = 529;
  if (found.code == "rate_limit_error" || found.code == "rate_limit_exceeded") found.status = 429;
  if (found.status == 0 && (found.code == "api_error" || found.code == "server_error")) {
    found.status = 500;
  }
  // FastAPI servers say {"detail": "..."}, others {"message": "..."}.
  if (found.message.empty() && member(document, "choices").is_null()) {
    found.message = text_of(member(document, "detail"));
    if (found.message.empty()) found.message = text_of(member(document, "message"));
  }
  found.message = clean_utf8(found.message);
  return found;
}

Usage usage_of_openai(const Json& usage) {
  const std::int64_t prompt = count_of(member(usage, "prompt_tokens"));
  const Json& details = member(usage, "prompt_tokens_details");
  Usage result;
  // DeepSeek names its cache hits at the top level, the others among the details.
  result.cache_read = std::max(count_of(member(details, "cached_tokens")),
                               count_of(member(usage, "prompt_cache_hit_tokens")));
  result.cache_read = std::min(result.cache_read, prompt);
  result.cache_write =
      std::min(count_of(member(details, "cache_write_tokens")), prompt - result.cache_read);
  result.fresh = prompt - result.cache_read - result.cache_write;
  // Gemini's compatible endpoint leaves thoughts out of completion_tokens, but not of the total.
  result.output = std::max(count_of(member(usage, "completion_tokens")),
                           count_of(member(usage, "total_tokens")) - prompt);
  result.reasoning =
      std::min(count_of(member(member(usage, "completion_tokens_details"), "reasoning_tokens")),
               result.output);
  return result;
}

Usage usage_of_anthropic(const Json& usage) {
  Usage result;
  result.fresh = count_of(member(usage, "input_tokens"));
  result.cache_read = count_of(member(usage, "cache_read_input_tokens"));
  result.cache_write = count_of(member(usage, "cache_creation_input_tokens"));
  result.output = count_of(member(usage, "output_tokens"));
  result.reasoning = std::min(
      count_of(member(member(usage, "output_tokens_details"), "thinking_tokens")), result.output);
  return result;
}

Json usage_to_json(const Usage& usage) {
  return Json{{"fresh", usage.fresh},
              {"cache_read", usage.cache_read},
              {"cache_write", usage.cache_write},
              {"output", usage.output},
              {"reasoning", usage.reasoning},
              {"estimated", usage.estimated}};
}

Usage usage_from_json(const Json& value) {
  Usage usage;
  usage.fresh = count_of(member(value, "fresh"));
  usage.cache_read = count_of(member(value, "cache_read"));
  usage.cache_write = count_of(member(value, "cache_write"));
  usage.output = count_of(member(value, "output"));
  usage.reasoning = count_of(member(value, "reasoning"));
  usage.estimated = member(value, "estimated") == Json(true);
  return usage;
}

}  // namespace warpwright::llm
