// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include <nlohmann/json.hpp>

namespace warpwright::mcp {

using Json = nlohmann::json;

/// Error numbers of JSON-RPC 2.0 and of the Model Context Protocol.
enum class RpcCode : int {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
  internal_error = -32603,
  busy = -32000,                 ///< our own: too much is under way
  resource_not_found = -32002,   ///< until 2025-11-25; later invalid_params
  header_mismatch = -32020,      ///< HTTP headers that do not say what the message says
  unsupported_version = -32022,  ///< data: {supported, requested}
};

struct RpcError {
  RpcCode code = RpcCode::internal_error;
  std::string message;
  Json data = nullptr;
};

/// What a client may send at most, before anything of it is parsed. A source of a mebibyte fits,
/// whatever of it must be escaped.
inline constexpr std::size_t kMaxMessageBytes = std::size_t{8} << 20;
inline constexpr int kMaxDepth = 64;
inline constexpr std::size_t kMaxIdBytes = 256;
inline constexpr std::size_t kMaxBatch = 50;

/// A request, or a notification: then there is no id and nothing is answered.
struct Call {
  Json id;  ///< a string or an integer; null for a notification
  std::string method;
  Json params = Json::object();

  [[nodiscard]] bool is_notification() const { return id.is_null(); }
};

/// An answer of the client. The server asks nothing, so it is dropped.
struct ForeignAnswer {};

/// What is wrong with a message, and with which id to say so (null where it has no good one).
struct BadMessage {
  Json id;
  RpcError error;
};

using Message = std::variant<Call, ForeignAnswer, BadMessage>;

/// JSON of at most kMaxMessageBytes and kMaxDepth, or the error to answer with.
std::variant<Json, RpcError> parse_text(std::string_view text);

/// Total: any JSON value gives one of the three.
Message message_of(const Json& value);

Json answer(const Json& id, Json result);
Json failure(const Json& id, const RpcError& error);
Json notification(std::string_view method, Json params);

/// One line without a line feed. Damaged text is replaced.
std::string line_of(const Json& message);

}  // namespace warpwright::mcp
