// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "llm/json_reading.h"
#include "llm/wire.h"
#include "llm/wire_body.h"

namespace warpwright::llm {

namespace {

Result<HttpQuestion> anthropic_question(const Asking& asking, const Request& request) {
  Json messages = Json::array();
  std::string system;
  for (const Message& message : request.messages) {
    if (message.role == Role::system) {
      if (!system.empty()) system += "\n\n";
      system += message.text;
      continue;
    }
    const char* role = message.role == Role::assistant ? "assistant" : "user";
    messages.push_back({{"role", role}, {"content", message.text}});
  }
  Json body = {{"model", asking.model},
               {"max_tokens", output_limit(asking, request)},
               {"messages", std::move(messages)},
               {"stream", true}};
  if (!system.empty()) body["system"] = system;
  const std::string& effort = asking.options.reasoning;
  const bool thinks = !effort.empty() && effort != "none";
  if (thinks) {
    body["thinking"] = {{"type", "adaptive"}};
    body["output_config"] = {{"effort", effort}};
  }
  if (effort == "none") body["thinking"] = {{"type", "disabled"}};
  // The service rejects a temperature beside thinking.
  const auto temperature = temperature_of(asking, request);
  if (temperature && !thinks) body["temperature"] = *temperature;
  WW_CHECK(merge_extra(body, asking.options.extra_body));
  return HttpQuestion{std::string(asking.base_url) + "/messages",
                      {"anthropic-version: 2023-06-01"},
                      dump_json(body)};
}

std::string anthropic_key(std::string_view key) { return "x-api-key: " + std::string(key); }

std::string finish_reason_of(const std::string& stop_reason) {
  if (stop_reason == "end_turn" || stop_reason == "stop_sequence") return "stop";
  if (stop_reason == "max_tokens" || stop_reason == "model_context_window_exceeded") {
    return "length";
  }
  if (stop_reason == "refusal") return "content_filter";
  return stop_reason;
}

class AnthropicParser final : public AnswerParser {
 public:
  Status event(std::string_view, std::string_view data) override {
    const Json part = parse_json(data);
    if (!part.is_object()) return Error{"a stream event is not a JSON object"};
    const std::string type = text_of(member(part, "type"));
    if (type == "error") take_error(part);
    if (type == "message_start") {
      const Json& message = member(part, "message");
      answer_.model = text_of(member(message, "model"));
      take_usage(member(message, "usage"));
    }
    if (type == "content_block_start") take_block(member(part, "content_block"));
    if (type == "content_block_delta") take_block(member(part, "delta"));
    if (type == "message_delta") {
      take_stop_reason(member(part, "delta"));
      take_usage(member(part, "usage"));
    }
    if (type == "message_stop") answer_.finished = true;
    return {};
  }

  Status document(std::string_view text) override {
    const Json whole = parse_json(text);
    if (!whole.is_object()) return Error{"the reply is not a JSON object"};
    take_error(whole);
    if (!answer_.error.empty()) return {};
    answer_.model = text_of(member(whole, "model"));
    take_usage(member(whole, "usage"));
    take_stop_reason(whole);
    const Json& content = member(whole, "content");
    if (content.is_array()) {
      for (const Json& block : content) take_block(block);
    }
    answer_.finished = true;
    return {};
  }

 private:
  void take_error(const Json& part) {
    const ProviderError error = provider_error(part);
    answer_.error = error.message;
    answer_.error_status = error.status;
  }

  /// A block of a document, the start of one in a stream, or a delta: all name their texts alike.
  void take_block(const Json& block) {
    answer_.text += text_of(member(block, "text"));
    answer_.reasoning += text_of(member(block, "thinking"));
  }

  void take_stop_reason(const Json& object) {
    const std::string reason = text_of(member(object, "stop_reason"));
    if (!reason.empty()) answer_.finish_reason = finish_reason_of(reason);
  }

  /// Counts in a stream are cumulative, and the later event may repeat only some of them.
  void take_usage(const Json& usage) {
    if (!usage.is_object() || usage.empty()) return;
    const Usage now = usage_of_anthropic(usage);
    Usage& known = answer_.usage ? *answer_.usage : answer_.usage.emplace();
    known.fresh = std::max(known.fresh, now.fresh);
    known.cache_read = std::max(known.cache_read, now.cache_read);
    known.cache_write = std::max(known.cache_write, now.cache_write);
    known.output = std::max(known.output, now.output);
    known.reasoning = std::max(known.reasoning, now.reasoning);
  }
};

std::unique_ptr<AnswerParser> anthropic_parser() { return std::make_unique<AnthropicParser>(); }

}  // namespace

const WireFormat kAnthropicWire{"anthropic", anthropic_question, anthropic_key, anthropic_parser};

}  // namespace warpwright::llm
