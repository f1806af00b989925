// SPDX-License-Identifier: Apache-2.0
#include "llm/json_reading.h"
#include "llm/wire.h"
#include "llm/wire_body.h"

namespace warpwright::llm {

namespace {

const char* role_name(Role role) {
  switch (role) {
    case Role::system:
      return "system";
    case Role::user:
      return "user";
    case Role::assistant:
      return "assistant";
  }
  return "user";
}

void add_reasoning(Json& body, const Asking& asking) {
  const std::string& effort = asking.options.reasoning;
  if (effort.empty()) return;
  switch (asking.service.reasoning) {
    case ReasoningForm::deepseek:
      body["thinking"] = {{"type", effort == "none" ? "disabled" : "enabled"}};
      if (effort != "none") body["reasoning_effort"] = effort;
      return;
    case ReasoningForm::openrouter:
      body["reasoning"] = effort == "none" ? Json{{"enabled", false}} : Json{{"effort", effort}};
      return;
    case ReasoningForm::effort:
    case ReasoningForm::anthropic:
      body["reasoning_effort"] = effort;
  }
}

Result<HttpQuestion> openai_question(const Asking& asking, const Request& request) {
  Json messages = Json::array();
  for (const Message& message : request.messages) {
    messages.push_back({{"role", role_name(message.role)}, {"content", message.text}});
  }
  Json body = {{"model", asking.model},
               {"messages", std::move(messages)},
               {"stream", true},
               {"stream_options", {{"include_usage", true}}}};
  body[std::string(asking.service.limit_field)] = output_limit(asking, request);
  if (const auto temperature = temperature_of(asking, request)) body["temperature"] = *temperature;
  add_reasoning(body, asking);
  WW_CHECK(merge_extra(body, asking.options.extra_body));
  return HttpQuestion{std::string(asking.base_url) + "/chat/completions", {}, dump_json(body)};
}

std::string openai_key(std::string_view key) { return "Authorization: Bearer " + std::string(key); }

class OpenaiParser final : public AnswerParser {
 public:
  Status event(std::string_view, std::string_view data) override {
    if (data == "[DONE]") {
      answer_.finished = true;
      return {};
    }
    const Json chunk = parse_json(data);
    if (!chunk.is_object()) return Error{"a stream event is not a JSON object"};
    return take(chunk, "delta");
  }

  Status document(std::string_view text) override {
    const Json whole = parse_json(text);
    if (!whole.is_object()) return Error{"the reply is not a JSON object"};
    WW_CHECK(take(whole, "message"));
    answer_.finished = answer_.error.empty();
    return {};
  }

 private:
  Status take(const Json& part, const char* message_name) {
    if (const ProviderError error = provider_error(part); !error.message.empty()) {
      answer_.error = error.message;
      answer_.error_status = error.status;
    }
    if (answer_.model.empty()) answer_.model = text_of(member(part, "model"));
    take_usage(member(part, "usage"));
    const Json& choices = member(part, "choices");
    if (!choices.is_array() || choices.empty()) return {};
    const Json& choice = choices[0];
    const Json& message = member(choice, message_name);
    append_content(member(message, "content"));
    answer_.text += text_of(member(message, "refusal"));
    // Two names for the same thing; servers in between send both with equal content.
    const std::string thought = text_of(member(message, "reasoning_content"));
    answer_.reasoning += thought.empty() ? text_of(member(message, "reasoning")) : thought;
    if (const std::string reason = text_of(member(choice, "finish_reason")); !reason.empty()) {
      answer_.finish_reason = reason;
    }
    return {};
  }

  void append_content(const Json& content) {
    if (content.is_string()) answer_.text += text_of(content);
    if (!content.is_array()) return;
    for (const Json& part : content) answer_.text += text_of(member(part, "text"));
  }

  void take_usage(const Json& usage) {
    if (!usage.is_object() || usage.empty()) return;
    answer_.usage = usage_of_openai(usage);
    const Json& cost = member(usage, "cost");
    if (cost.is_number() && cost.get<double>() >= 0) answer_.cost_usd = cost.get<double>();
  }
};

std::unique_ptr<AnswerParser> openai_parser() { return std::make_unique<OpenaiParser>(); }

}  // namespace

const WireFormat kOpenaiWire{"openai", openai_question, openai_key, openai_parser};

}  // namespace warpwright::llm
