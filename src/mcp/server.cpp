// SPDX-License-Identifier: Apache-2.0
#include "mcp/server.h"

#include <array>
#include <atomic>

#include "core/json_reader.h"
#include "mcp/prompts.h"
#include "mcp/resources.h"

namespace warpwright::mcp {

namespace {

constexpr std::array<std::string_view, 5> kVersions = {kModernVersion, kLegacyVersion, "2025-06-18",
                                                       "2025-03-26", "2024-11-05"};
constexpr const char* kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr const char* kClientKey = "io.modelcontextprotocol/clientInfo";
constexpr const char* kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
constexpr const char* kServerKey = "io.modelcontextprotocol/serverInfo";
// Tools and prompts are constants of the program; runs come and go.
constexpr int kConstantMs = 3'600'000;
constexpr std::size_t kMaxClientBytes = 200;

using Outcome = std::variant<Json, RpcError>;

/// What a request is handled with.
struct Scene {
  const Call& call;
  Connection& connection;
  ToolBox& box;
  const ServerOptions& options;
  Listener& listener;
  bool modern = false;
};

Json server_info(const ServerOptions& options) {
  return {{"name", "warpwright"}, {"title", "Warpwright"}, {"version", options.version}};
}

Json capabilities() {
  return {{"tools", Json::object()}, {"resources", Json::object()}, {"prompts", Json::object()}};
}

std::string instructions(const ServerOptions& options) {
  std::string text =
      "Warpwright judges CUDA kernels. To write one: show_task tells what to compute and the "
      "function to write; judge_kernel compiles, proves and times your source and names the three "
      "worst things to fix; explain_kernel shows races, wasted bytes and bank conflicts by line; "
      "compare_kernels tells whether a change is faster. Only the verdict ok counts. Work that "
      "takes long returns a job: call wait_for_job. start_search with model inbox keeps everything "
      "you try in an archive, and export_kernel writes the winner.";
  for (const auto& sentence : options.settings) text += " " + sentence;
  return text;
}

RpcError invalid(std::string message) { return {RpcCode::invalid_params, std::move(message)}; }

std::string text_at(const Json& params, const char* key) {
  const auto found = params.find(key);
  return found != params.end() && found->is_string() ? found->get<std::string>() : "";
}

const Json& meta_of(const Json& params) {
  static const Json kNone = Json::object();
  const auto found = params.find("_meta");
  return found != params.end() && found->is_object() ? *found : kNone;
}

std::string client_name(const Json& info) {
  if (!info.is_object()) return "";
  std::string name = text_at(info, "name") + " " + text_at(info, "version");
  if (name.size() > kMaxClientBytes) name.resize(kMaxClientBytes);
  return name == " " ? "" : name;
}

Outcome initialize(Scene& scene) {
  const std::string wanted = text_at(scene.call.params, "protocolVersion");
  if (wanted.empty()) return invalid("initialize needs protocolVersion");
  std::string agreed(kLegacyVersion);
  for (const auto version : kVersions) {
    if (version == wanted && version != kModernVersion) agreed = wanted;
  }
  const auto info = scene.call.params.find("clientInfo");
  scene.connection.negotiated(agreed, info == scene.call.params.end() ? "" : client_name(*info));
  return Json{{"protocolVersion", agreed},
              {"capabilities", capabilities()},
              {"serverInfo", server_info(scene.options)},
              {"instructions", instructions(scene.options)}};
}

Outcome discover(Scene& scene) {
  return Json{{"supportedVersions", kVersions},
              {"capabilities", capabilities()},
              {"serverInfo", server_info(scene.options)},
              {"instructions", instructions(scene.options)},
              {"ttlMs", kConstantMs},
              {"cacheScope", "public"}};
}

Outcome ping(Scene&) { return Json::object(); }

/// Lists are short: one page, and a cursor is never ours.
std::optional<RpcError> page_objection(const Scene& scene) {
  if (!scene.call.params.contains("cursor")) return std::nullopt;
  return invalid("there is no page of that cursor");
}

Outcome list_the_tools(Scene& scene) {
  if (auto wrong = page_objection(scene)) return *wrong;
  Json list = Json::array();
  for (const Tool& tool : tools()) list.push_back(tool_json(tool));
  return Json{{"tools", list}, {"ttlMs", kConstantMs}, {"cacheScope", "public"}};
}

/// Sends progress under the token that the client gave, if it gave one.
std::function<void(double, double, const std::string&)> progress_of(const Scene& scene) {
  const Json& meta = meta_of(scene.call.params);
  const auto token = meta.find("progressToken");
  if (token == meta.end() || !(token->is_string() || token->is_number_integer())) {
    return [&listener = scene.listener](double, double, const std::string&) {
      listener.still_working();
    };
  }
  return [&listener = scene.listener, token = *token](double done, double total,
                                                      const std::string& words) {
    Json params = {{"progressToken", token}, {"progress", done}, {"message", words}};
    if (total > 0) params["total"] = total;
    listener.notify(notification("notifications/progress", std::move(params)));
  };
}

Json tool_result(const ToolAnswer& answer) {
  Json result = {{"content", Json::array({{{"type", "text"}, {"text", answer.text}}})},
                 {"isError", answer.is_error}};
  if (!answer.is_error) result["structuredContent"] = answer.data;
  return result;
}

/// None: the call was cancelled and nobody waits for an answer.
std::optional<Outcome> call_a_tool(Scene& scene) {
  const std::string name = text_at(scene.call.params, "name");
  const Tool* tool = find_tool(name);
  if (tool == nullptr) {
    return invalid("there is no tool '" + name.substr(0, 80) + "'; tools/list names them");
  }
  static const Json kNone = Json::object();
  const auto found = scene.call.params.find("arguments");
  const Json& arguments = found == scene.call.params.end() || found->is_null() ? kNone : *found;
  if (!arguments.is_object()) return invalid("arguments is an object");
  std::string why;
  const auto stop = scene.connection.begin(scene.call.id, why);
  if (!stop) return RpcError{RpcCode::busy, why};
  std::string client = scene.connection.client();
  if (scene.modern) {
    const Json& meta = meta_of(scene.call.params);
    client = meta.contains(kClientKey) ? client_name(meta[kClientKey]) : "";
  }
  const ToolAnswer answer =
      call_tool(*tool, scene.box, arguments, {*stop, progress_of(scene), std::move(client)});
  const bool cancelled = stop->requested();
  scene.connection.end(scene.call.id);
  if (cancelled) return std::nullopt;
  return tool_result(answer);
}

Outcome list_the_resources(Scene& scene) {
  if (auto wrong = page_objection(scene)) return *wrong;
  return Json{{"resources", resource_list(scene.box)}, {"ttlMs", 0}, {"cacheScope", "private"}};
}

Outcome list_templates(Scene& scene) {
  if (auto wrong = page_objection(scene)) return *wrong;
  return Json{{"resourceTemplates", resource_templates()},
              {"ttlMs", kConstantMs},
              {"cacheScope", "public"}};
}

Outcome read_a_resource(Scene& scene) {
  const std::string uri = text_at(scene.call.params, "uri");
  if (uri.empty()) return invalid("resources/read needs uri");
  const auto content = read_resource(scene.box, uri);
  if (!content.ok()) {
    return RpcError{scene.modern ? RpcCode::invalid_params : RpcCode::resource_not_found,
                    content.error().message,
                    {{"uri", uri.substr(0, 400)}}};
  }
  return Json{{"contents", Json::array({*content})}, {"ttlMs", 0}, {"cacheScope", "private"}};
}

Outcome list_the_prompts(Scene& scene) {
  if (auto wrong = page_objection(scene)) return *wrong;
  return Json{{"prompts", prompt_list()}, {"ttlMs", kConstantMs}, {"cacheScope", "public"}};
}

Outcome get_a_prompt(Scene& scene) {
  static const Json kNone = Json::object();
  const auto found = scene.call.params.find("arguments");
  const Json& arguments = found == scene.call.params.end() ? kNone : *found;
  const auto prompt = get_prompt(scene.box, text_at(scene.call.params, "name"), arguments);
  if (!prompt.ok()) return invalid(prompt.error().message);
  return *prompt;
}

enum class Era { both, legacy, modern };

struct Method {
  std::string_view name;
  Outcome (*handle)(Scene& scene);
  Era era = Era::both;
};

constexpr auto kMethods = std::to_array<Method>({
    {"initialize", initialize, Era::legacy},
    {"ping", ping, Era::legacy},
    {"server/discover", discover, Era::modern},
    {"tools/list", list_the_tools},
    {"resources/list", list_the_resources},
    {"resources/templates/list", list_templates},
    {"resources/read", read_a_resource},
    {"prompts/list", list_the_prompts},
    {"prompts/get", get_a_prompt},
});
constexpr std::string_view kCallTool = "tools/call";

/// What is wrong with the envelope of a request of the stateless revision.
std::optional<RpcError> envelope_objection(const Json& meta) {
  const Json& version = meta[kVersionKey];
  if (version != kModernVersion) {
    return RpcError{RpcCode::unsupported_version,
                    "this protocol version is not spoken here",
                    {{"supported", kVersions},
                     {"requested", version.is_string() ? version : Json(dump_json(version))}}};
  }
  if (!meta.contains(kCapabilitiesKey) || !meta[kCapabilitiesKey].is_object()) {
    return invalid(std::string("_meta needs the object ") + kCapabilitiesKey);
  }
  return std::nullopt;
}

std::optional<Outcome> dispatch(Scene& scene) {
  const std::string& name = scene.call.method;
  if (!scene.modern && scene.connection.version().empty() && name != "initialize" &&
      name != "ping") {
    return RpcError{RpcCode::invalid_request,
                    std::string("begin with initialize, or send _meta with ") + kVersionKey};
  }
  if (name == kCallTool) return call_a_tool(scene);
  for (const Method& method : kMethods) {
    if (method.name != name) continue;
    if (method.era == (scene.modern ? Era::legacy : Era::modern)) break;
    return method.handle(scene);
  }
  return RpcError{RpcCode::method_not_found, "there is no method '" + name.substr(0, 80) + "'"};
}

Json finish(Json result, const Scene& scene) {
  if (scene.modern) {
    result["resultType"] = "complete";
    result["_meta"][kServerKey] = server_info(scene.options);
  } else {
    result.erase("ttlMs");
    result.erase("cacheScope");
  }
  return result;
}

}  // namespace

std::span<const std::string_view> known_versions() { return kVersions; }

std::string Connection::version() const {
  const std::lock_guard lock(mutex_);
  return version_;
}

std::string Connection::client() const {
  const std::lock_guard lock(mutex_);
  return client_;
}

void Connection::negotiated(std::string version, std::string client) {
  const std::lock_guard lock(mutex_);
  version_ = std::move(version);
  client_ = std::move(client);
}

void Connection::expect(const Json& id) {
  const std::lock_guard lock(mutex_);
  if (calls_.size() < max_calls_) {
    calls_.emplace(dump_json(id), Entry{std::make_shared<StopSignal>(), false});
  }
}

std::shared_ptr<StopSignal> Connection::begin(const Json& id, std::string& why) {
  const std::lock_guard lock(mutex_);
  if (const auto found = calls_.find(dump_json(id)); found != calls_.end()) {
    if (found->second.begun) {
      why = "a call with this id is under way";
      return nullptr;
    }
    found->second.begun = true;
    return found->second.stop;
  }
  if (calls_.size() >= max_calls_) {
    why = "busy: " + std::to_string(calls_.size()) + " calls are under way; wait for one";
    return nullptr;
  }
  return calls_.emplace(dump_json(id), Entry{std::make_shared<StopSignal>()}).first->second.stop;
}

void Connection::end(const Json& id) {
  const std::lock_guard lock(mutex_);
  calls_.erase(dump_json(id));
}

void Connection::cancel(const Json& id) {
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(dump_json(id));
  if (found != calls_.end()) found->second.stop->request(StopReason::interrupted);
}

void Connection::cancel_all() {
  const std::lock_guard lock(mutex_);
  for (auto& [id, entry] : calls_) entry.stop->request(StopReason::interrupted);
}

bool Server::is_modern(const Message& message) {
  const auto* call = std::get_if<Call>(&message);
  return call != nullptr && meta_of(call->params).contains(kVersionKey);
}

bool Server::is_slow(const Message& message) {
  const auto* call = std::get_if<Call>(&message);
  if (call == nullptr || call->is_notification() || call->method != kCallTool) return false;
  const Tool* tool = find_tool(text_at(call->params, "name"));
  return tool != nullptr && tool->slow;
}

std::optional<Json> Server::handle(const Message& message, Connection& connection,
                                   Listener& listener) {
  if (const auto* wrong = std::get_if<BadMessage>(&message))
    return failure(wrong->id, wrong->error);
  const auto* call = std::get_if<Call>(&message);
  if (call == nullptr) return std::nullopt;
  if (call->is_notification()) {
    const auto id = call->params.find("requestId");
    if (call->method == "notifications/cancelled" && id != call->params.end()) {
      connection.cancel(*id);
    }
    return std::nullopt;
  }
  const Json& meta = meta_of(call->params);
  Scene scene{*call, connection, box_, options_, listener, meta.contains(kVersionKey)};
  if (scene.modern) {
    if (const auto wrong = envelope_objection(meta)) return failure(call->id, *wrong);
  }
  try {
    const auto outcome = dispatch(scene);
    if (!outcome) return std::nullopt;
    if (const auto* error = std::get_if<RpcError>(&*outcome)) return failure(call->id, *error);
    return answer(call->id, finish(std::get<Json>(*outcome), scene));
  } catch (const std::exception& error) {
    connection.end(call->id);
    return failure(call->id, {RpcCode::internal_error,
                              std::string("an error that was not foreseen: ") + error.what()});
  }
}

}  // namespace warpwright::mcp
