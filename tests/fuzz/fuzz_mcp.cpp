// SPDX-License-Identifier: Apache-2.0
// Any bytes as lines of a client of the Model Context Protocol.
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "base/text.h"
#include "mcp/fake_workshop.h"

namespace {

using namespace warpwright;
using namespace warpwright::mcp;

/// One client, whose calls must not wait.
void take(Bench& bench, std::string_view line) {
  auto parsed = parse_text(line);
  if (std::holds_alternative<RpcError>(parsed)) return;
  Json& value = std::get<Json>(parsed);
  if (value.is_object() && value.contains("params") && value["params"].is_object() &&
      value["params"].contains("arguments") && value["params"]["arguments"].is_object()) {
    value["params"]["arguments"]["wait_s"] = 0;
  }
  const Message message = message_of(value);
  const auto reply = bench.server.handle(message, bench.connection, bench);
  const auto* call = std::get_if<Call>(&message);
  ASSERT(call == nullptr || !call->is_notification() || !reply, "a notification is not answered");
  if (!reply) return;
  ASSERT(reply->contains("result") != reply->contains("error"), "a result or an error");
  ASSERT(line_of(*reply).find('\n') == std::string::npos, "an answer is one line");
  if (call != nullptr) ASSERT((*reply)["id"] == call->id, "an answer has its question's id");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bench bench;
  for (const auto line : lines_of({reinterpret_cast<const char*>(data), size})) take(bench, line);
  return 0;
}
