// SPDX-License-Identifier: Apache-2.0
#include "support/hostile_acts.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <thread>

#include <poll.h>
#include <sys/socket.h>

#include <nlohmann/json.hpp>

namespace warpwright::hostile {

namespace {

using Json = nlohmann::json;

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kEvents = "text/event-stream; charset=utf-8";

std::string header_value(std::string_view head, std::string_view lower_name) {
  std::string lower(head);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  const auto at = lower.find("\r\n" + std::string(lower_name) + ":");
  if (at == std::string::npos) return {};
  auto value = head.substr(at + 3 + lower_name.size());
  value = value.substr(0, value.find("\r\n"));
  while (value.starts_with(' ')) value.remove_prefix(1);
  return std::string(value);
}

// The answer in pieces, in either protocol.

struct Usage {
  int prompt = 120;
  int cached = 20;
  int output = 60;
  int reasoning = 10;
};

Json openai_usage() {
  const Usage usage;
  return {{"prompt_tokens", usage.prompt},
          {"completion_tokens", usage.output},
          {"total_tokens", usage.prompt + usage.output},
          {"prompt_tokens_details", {{"cached_tokens", usage.cached}}},
          {"completion_tokens_details", {{"reasoning_tokens", usage.reasoning}}}};
}

Json anthropic_usage() {
  const Usage usage;
  return {{"input_tokens", usage.prompt - usage.cached},
          {"cache_read_input_tokens", usage.cached},
          {"cache_creation_input_tokens", 0},
          {"output_tokens", usage.output}};
}

/// How a streamed answer should differ from a good one.
struct Shape {
  std::string reasoning;
  std::string_view finish = "stop";
  bool usage = true;
  bool end_marker = true;
  bool crlf = false;
  std::size_t cut_after = SIZE_MAX;  ///< chunks, then the connection closes
  std::size_t stall_after = SIZE_MAX;
  std::string_view content_type = kEvents;
};

std::string event(const Exchange& exchange, const Json& data, bool crlf) {
  const std::string_view end = crlf ? "\r\n" : "\n";
  std::string text;
  if (exchange.speaks_anthropic()) {
    text += "event: " + data.value("type", "") + std::string(end);
  }
  // The library refuses to write damaged UTF-8; this server does not.
  text += "data: " + data.dump(-1, ' ', false, Json::error_handler_t::ignore);
  return text + std::string(end) + std::string(end);
}

Json openai_chunk(const Json& delta, const Json& finish = nullptr) {
  return {{"id", "c" + std::to_string(std::rand() % 1000)},
          {"object", "chat.completion.chunk"},
          {"model", "hostile-1"},
          {"choices", {{{"index", 0}, {"delta", delta}, {"finish_reason", finish}}}}};
}

Json anthropic_delta(std::string_view type, std::string_view field, const std::string& text) {
  return {{"type", "content_block_delta"},
          {"index", 0},
          {"delta", {{"type", type}, {std::string(field), text}}}};
}

std::string_view anthropic_finish(std::string_view finish) {
  return finish == "length" ? "max_tokens" : "end_turn";
}

std::vector<std::string> opening(const Exchange& exchange, const Shape& shape) {
  std::vector<std::string> events;
  if (exchange.speaks_anthropic()) {
    Json usage = anthropic_usage();
    usage["output_tokens"] = 1;
    Json message = {{"model", "hostile-1"}, {"role", "assistant"}};
    if (shape.usage) message["usage"] = usage;
    events.push_back(
        event(exchange, {{"type", "message_start"}, {"message", message}}, shape.crlf));
    if (!shape.reasoning.empty()) {
      events.push_back(event(
          exchange, anthropic_delta("thinking_delta", "thinking", shape.reasoning), shape.crlf));
    }
    return events;
  }
  events.push_back(
      event(exchange, openai_chunk({{"role", "assistant"}, {"content", ""}}), shape.crlf));
  if (!shape.reasoning.empty()) {
    events.push_back(
        event(exchange, openai_chunk({{"reasoning_content", shape.reasoning}}), shape.crlf));
  }
  return events;
}

std::vector<std::string> closing(const Exchange& exchange, const Shape& shape) {
  std::vector<std::string> events;
  if (exchange.speaks_anthropic()) {
    Json delta = {{"type", "message_delta"},
                  {"delta", {{"stop_reason", anthropic_finish(shape.finish)}}}};
    if (shape.usage) delta["usage"] = {{"output_tokens", anthropic_usage()["output_tokens"]}};
    events.push_back(event(exchange, delta, shape.crlf));
    if (shape.end_marker) {
      events.push_back(event(exchange, {{"type", "message_stop"}}, shape.crlf));
    }
    return events;
  }
  events.push_back(event(exchange, openai_chunk(Json::object(), shape.finish), shape.crlf));
  if (shape.usage) {
    events.push_back(event(
        exchange, {{"model", "hostile-1"}, {"choices", Json::array()}, {"usage", openai_usage()}},
        shape.crlf));
  }
  if (shape.end_marker) events.push_back(shape.crlf ? "data: [DONE]\r\n\r\n" : "data: [DONE]\n\n");
  return events;
}

/// The text in about ten chunks.
std::vector<std::string> middle(const Exchange& exchange, const Shape& shape) {
  std::vector<std::string> events;
  const std::size_t step = std::max<std::size_t>(1, exchange.text.size() / 10);
  for (std::size_t at = 0; at < exchange.text.size(); at += step) {
    const std::string piece = exchange.text.substr(at, step);
    events.push_back(event(exchange,
                           exchange.speaks_anthropic()
                               ? anthropic_delta("text_delta", "text", piece)
                               : openai_chunk({{"content", piece}}),
                           shape.crlf));
  }
  return events;
}

void stream(Exchange& exchange, const Shape& shape, int delay_ms = 0) {
  std::vector<std::string> events = opening(exchange, shape);
  for (auto& one : middle(exchange, shape)) events.push_back(std::move(one));
  for (auto& one : closing(exchange, shape)) events.push_back(std::move(one));
  if (!exchange.send_head(200, shape.content_type)) return;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (i == shape.cut_after) return;
    if (i == shape.stall_after) return exchange.hang();
    // A client that goes away is noticed only after the next chunk, as in real life.
    if (!exchange.send(events[i])) return;
    if (delay_ms > 0 && !exchange.pause(delay_ms)) return;
  }
  exchange.paid = true;
}

Json whole_answer(const Exchange& exchange, std::string_view finish, bool usage) {
  if (exchange.speaks_anthropic()) {
    Json answer = {
        {"type", "message"},
        {"model", "hostile-1"},
        {"content",
         {{{"type", "thinking"}, {"thinking", "hm"}}, {{"type", "text"}, {"text", exchange.text}}}},
        {"stop_reason", anthropic_finish(finish)}};
    if (usage) answer["usage"] = anthropic_usage();
    return answer;
  }
  Json answer = {{"object", "chat.completion"},
                 {"model", "hostile-1"},
                 {"choices",
                  {{{"index", 0},
                    {"message", {{"role", "assistant"}, {"content", exchange.text}}},
                    {"finish_reason", finish}}}}};
  if (usage) answer["usage"] = openai_usage();
  return answer;
}

void answer(Exchange& exchange) {
  if (exchange.wants_stream()) return stream(exchange, {});
  exchange.paid = exchange.send_whole(200, kJson, whole_answer(exchange, "stop", true).dump());
}

void fail(Exchange& exchange, int status, std::string_view message, std::string_view type,
          std::string_view headers = {}) {
  const Json error = {{"error", {{"message", message}, {"type", type}, {"code", type}}}};
  exchange.send_whole(status, kJson, error.dump(), headers);
}

std::string http_date(std::time_t when) {
  char text[64];
  std::tm parts{};
  ::gmtime_r(&when, &parts);
  std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return text;
}

void send_raw_json(Exchange& exchange, std::string_view text) {
  exchange.paid = exchange.send_whole(200, kJson, text);
}

void endless_headers(Exchange& exchange) {
  if (!exchange.send("HTTP/1.1 200 OK\r\n")) return;
  const std::string line = "X-Filler: " + std::string(1000, 'x') + "\r\n";
  while (exchange.send(line)) {
  }
}

void endless_body(Exchange& exchange) {
  if (!exchange.send_head(200, kEvents)) return;
  const std::string chunk =
      event(exchange, openai_chunk({{"content", std::string(1 << 20, 'a')}}), false);
  while (exchange.send(chunk)) {
  }
}

void stream_error(Exchange& exchange, bool after_tokens, std::string_view type, int code) {
  if (!exchange.send_head(200, kEvents)) return;
  if (after_tokens) {
    for (const auto& one : opening(exchange, {})) exchange.send(one);
    exchange.send(middle(exchange, {})[0]);
  }
  Json error = {{"type", "error"}, {"error", {{"type", type}, {"message", "upstream fell over"}}}};
  if (!exchange.speaks_anthropic()) error["error"]["code"] = code;
  exchange.send(event(exchange, error, false));
}

void damaged_utf8(Exchange& exchange) {
  if (!exchange.send_head(200, kEvents)) return;
  exchange.send(
      "data: {\"model\":\"hostile-1\",\"choices\":[{\"delta\":{\"content\":\"a\xFF\xC3(b\"},"
      "\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n");
  exchange.paid = true;
}

void keep_alives(Exchange& exchange) {
  if (!exchange.send_head(200, kEvents)) return;
  exchange.send(": keep-alive\r\n\r\n: keep-alive\r\n\r\n");
  for (const auto& part : {opening(exchange, {.crlf = true}), middle(exchange, {.crlf = true}),
                           closing(exchange, {.crlf = true})}) {
    for (const auto& one : part) {
      exchange.send(": keep-alive\r\n\r\n");
      exchange.send(one);
    }
  }
  exchange.paid = true;
}

void many_choices(Exchange& exchange) {
  Json whole = whole_answer(exchange, "stop", true);
  whole["choices"].push_back(whole["choices"][0]);
  send_raw_json(exchange, whole.dump());
}

void stated_cost(Exchange& exchange) {
  Json whole = whole_answer(exchange, "stop", true);
  whole["usage"]["cost"] = 0.0125;
  send_raw_json(exchange, whole.dump());
}

void blank_lines(Exchange& exchange) {
  if (!exchange.send_head(200, kJson)) return;
  for (int i = 0; i < 3; ++i) exchange.send("\n");
  exchange.paid = exchange.send(whole_answer(exchange, "stop", true).dump());
}

// clang-format off
constexpr std::array kActs = {
    Act{"answer", answer},
    Act{"answer_json", [](Exchange& e) { send_raw_json(e, whole_answer(e, "stop", true).dump()); }},
    Act{"slow", [](Exchange& e) { stream(e, {}, e.chunk_delay_ms); }},
    Act{"length", [](Exchange& e) { stream(e, {.finish = "length"}); }},
    Act{"thinking", [](Exchange& e) { stream(e, {.reasoning = "Let me think."}); }},
    Act{"think_tags", [](Exchange& e) { e.text = "<think>\nHm.\n</think>\n\n" + e.text; stream(e, {}); }},
    Act{"keep_alive", keep_alives},
    Act{"blank_lines", blank_lines},
    Act{"missing_usage", [](Exchange& e) { stream(e, {.usage = false}); }},
    Act{"no_end_marker", [](Exchange& e) { stream(e, {.usage = false, .end_marker = false}); }},
    Act{"text_plain", [](Exchange& e) { stream(e, {.content_type = "text/plain"}); }},
    Act{"many_choices", many_choices},
    Act{"stated_cost", stated_cost},
    Act{"huge", [](Exchange& e) { e.text.assign(std::size_t{10} << 20, 'k'); stream(e, {}); }},
    Act{"bad_utf8", damaged_utf8},
    Act{"429", [](Exchange& e) { fail(e, 429, "slow down", "rate_limit_exceeded"); }},
    Act{"429_after", [](Exchange& e) { fail(e, 429, "slow down", "rate_limit_exceeded", "Retry-After: 2\r\n"); }},
    Act{"429_after_ms", [](Exchange& e) { fail(e, 429, "slow down", "rate_limit_exceeded", "retry-after-ms: 1500\r\n"); }},
    Act{"429_date", [](Exchange& e) { fail(e, 429, "slow down", "rate_limit_exceeded", "Retry-After: " + http_date(std::time(nullptr) + 3) + "\r\n"); }},
    Act{"429_quota", [](Exchange& e) { fail(e, 429, "you are out of money", "insufficient_quota"); }},
    Act{"400", [](Exchange& e) { fail(e, 400, "unknown parameter", "invalid_request_error"); }},
    Act{"401_key_echo", [](Exchange& e) { fail(e, 401, "Incorrect API key provided: " + e.key, "invalid_api_key"); }},
    Act{"402", [](Exchange& e) { fail(e, 402, "insufficient balance", "billing"); }},
    Act{"404", [](Exchange& e) { fail(e, 404, "no such model", "not_found_error"); }},
    Act{"500", [](Exchange& e) { e.send_whole(500, "text/plain", "internal error"); }},
    Act{"500_final", [](Exchange& e) { fail(e, 500, "do not come back", "api_error", "x-should-retry: false\r\n"); }},
    Act{"503", [](Exchange& e) { fail(e, 503, "Loading model", "unavailable_error"); }},
    Act{"529", [](Exchange& e) { fail(e, 529, "Overloaded", "overloaded_error"); }},
    Act{"redirect", [](Exchange& e) { e.send_whole(307, kJson, "", "Location: http://127.0.0.1:9/elsewhere\r\n"); }},
    Act{"hang", [](Exchange& e) { e.hang(); }},
    Act{"close", [](Exchange&) {}},
    Act{"stall", [](Exchange& e) { stream(e, {.stall_after = 5}); }},
    Act{"cut", [](Exchange& e) { stream(e, {.cut_after = 6}); }},
    Act{"cut_before_tokens", [](Exchange& e) { stream(e, {.cut_after = 0}); }},
    Act{"invalid_json", [](Exchange& e) { send_raw_json(e, "{\"choices\": [{\"mess"); }},
    Act{"invalid_event", [](Exchange& e) { e.send_head(200, kEvents); e.send(middle(e, {})[0]); e.send("data: {nonsense\n\n"); }},
    Act{"empty_choices", [](Exchange& e) { send_raw_json(e, R"({"object":"chat.completion","choices":[]})"); }},
    Act{"empty_answer", [](Exchange& e) { e.text.clear(); stream(e, {}); }},
    Act{"html", [](Exchange& e) { e.send_whole(200, "text/html", "<html><body>Please log in</body></html>"); }},
    Act{"endless_headers", endless_headers},
    Act{"endless_body", endless_body},
    Act{"stream_error", [](Exchange& e) { stream_error(e, true, "server_error", 502); }},
    Act{"stream_error_first", [](Exchange& e) { stream_error(e, false, "overloaded_error", 529); }},
    Act{"key_in_answer", [](Exchange& e) { e.text = "your key is " + e.key + ", isn't it"; stream(e, {.reasoning = e.key}); }},
};
// clang-format on

}  // namespace

std::span<const Act> act_table() { return kActs; }

bool Exchange::receive() {
  std::string head;
  char buffer[1 << 14];
  std::size_t end = std::string::npos;
  while ((end = head.find("\r\n\r\n")) == std::string::npos) {
    const ssize_t got = ::recv(socket_, buffer, sizeof buffer, 0);
    if (got <= 0 || head.size() > (1 << 20)) return false;
    head.append(buffer, static_cast<std::size_t>(got));
  }
  body = head.substr(end + 4);
  head.resize(end + 2);
  const auto space = head.find(' ');
  path = head.substr(space + 1, head.find(' ', space + 1) - space - 1);
  key = header_value(head, "x-api-key");
  const std::string authorization = header_value(head, "authorization");
  if (authorization.starts_with("Bearer ")) key = authorization.substr(7);
  const auto length = static_cast<std::size_t>(
      std::strtoull(header_value(head, "content-length").c_str(), nullptr, 10));
  while (body.size() < length) {
    const ssize_t got = ::recv(socket_, buffer, sizeof buffer, 0);
    if (got <= 0) return false;
    body.append(buffer, static_cast<std::size_t>(got));
  }
  return true;
}

bool Exchange::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0 || stopping_) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool Exchange::send_head(int status, std::string_view content_type, std::string_view more) const {
  return send("HTTP/1.1 " + std::to_string(status) + " Whatever\r\nContent-Type: " +
              std::string(content_type) + "\r\nConnection: close\r\n" + std::string(more) + "\r\n");
}

bool Exchange::send_whole(int status, std::string_view content_type, std::string_view content,
                          std::string_view more_headers) const {
  const std::string length = "Content-Length: " + std::to_string(content.size()) + "\r\n";
  return send_head(status, content_type, length + std::string(more_headers)) && send(content);
}

bool Exchange::pause(int milliseconds) const {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  return !stopping_;
}

void Exchange::hang() const {
  while (!stopping_) {
    pollfd watched{socket_, POLLIN | POLLRDHUP, 0};
    if (::poll(&watched, 1, 20) > 0) return;
  }
}

bool Exchange::wants_stream() const {
  const Json question = Json::parse(body, nullptr, false);
  return question.is_object() && question.value("stream", false);
}

}  // namespace warpwright::hostile
