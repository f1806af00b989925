// SPDX-License-Identifier: Apache-2.0
#include "mcp/rpc.h"

#include "core/json_reader.h"

namespace warpwright::mcp {

namespace {

constexpr const char* kVersion = "2.0";

/// Whether brackets outside of strings nest deeper than we walk. Looked at before parsing: what is
/// deep costs stack wherever it is walked.
bool too_deep(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
      continue;
    }
    if (c == '"') quoted = true;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth > kMaxDepth) return true;
  }
  return false;
}

/// The protocol allows strings and integers, not null.
bool is_good_id(const Json& id) {
  if (id.is_string()) return id.get_ref<const std::string&>().size() <= kMaxIdBytes;
  return id.is_number_integer();
}

BadMessage bad(const Json& id, std::string why) {
  return {id, {RpcCode::invalid_request, std::move(why)}};
}

}  // namespace

std::variant<Json, RpcError> parse_text(std::string_view text) {
  if (text.size() > kMaxMessageBytes) {
    return RpcError{RpcCode::invalid_request, "a message may have at most " +
                                                  std::to_string(kMaxMessageBytes) +
                                                  " bytes; pass large sources as files"};
  }
  if (too_deep(text)) {
    return RpcError{RpcCode::parse_error,
                    "the message nests deeper than " + std::to_string(kMaxDepth) + " levels"};
  }
  Json value = Json::parse(text.begin(), text.end(), nullptr, false);
  if (value.is_discarded()) {
    return RpcError{RpcCode::parse_error, "the message is not valid JSON in UTF-8"};
  }
  return value;
}

Message message_of(const Json& value) {
  if (!value.is_object()) return bad(nullptr, "a message is a JSON object");
  const bool has_id = value.contains("id");
  const bool id_is_good = has_id && is_good_id(value["id"]);
  const Json id = id_is_good ? value["id"] : Json();
  if (!value.contains("jsonrpc") || value["jsonrpc"] != kVersion) {
    return bad(id, "a message has \"jsonrpc\": \"2.0\"");
  }
  if (!value.contains("method")) {
    if (value.contains("result") || value.contains("error")) return ForeignAnswer{};
    return bad(id, "a message has a method");
  }
  if (!value["method"].is_string()) return bad(id, "the method is a string");
  if (has_id && !id_is_good) return bad(nullptr, "an id is a short string or an integer");
  Call call{id, value["method"].get<std::string>(), Json::object()};
  if (value.contains("params")) {
    if (!value["params"].is_object()) {
      return BadMessage{id, {RpcCode::invalid_params, "params is an object"}};
    }
    call.params = value["params"];
  }
  return call;
}

Json answer(const Json& id, Json result) {
  return {{"jsonrpc", kVersion}, {"id", id}, {"result", std::move(result)}};
}

Json failure(const Json& id, const RpcError& error) {
  Json object = {{"code", static_cast<int>(error.code)}, {"message", error.message}};
  if (!error.data.is_null()) object["data"] = error.data;
  return {{"jsonrpc", kVersion}, {"id", id}, {"error", std::move(object)}};
}

Json notification(std::string_view method, Json params) {
  return {{"jsonrpc", kVersion}, {"method", method}, {"params", std::move(params)}};
}

std::string line_of(const Json& message) { return dump_json(message); }

}  // namespace warpwright::mcp
