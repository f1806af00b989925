// SPDX-License-Identifier: Apache-2.0
#include "mcp/http.h"

#include <algorithm>
#include <array>

namespace warpwright::mcp {

namespace {

using report::WebAnswer;
using report::WebRequest;

constexpr std::size_t kMaxSessions = 64;
constexpr int kMaxSlowCalls = 12;  // of the server's threads; the others answer pages and lists
constexpr std::chrono::hours kLongestIdle{4};

WebAnswer json_answer(int status, const Json& body) {
  return {status, "application/json", line_of(body)};
}

WebAnswer refusal(int status, RpcCode code, const std::string& why, const Json& id = nullptr) {
  return json_answer(status, failure(id, {code, why}));
}

/// The stateless revision ties some errors to statuses; everything else is a good HTTP answer.
int status_of(const Json& reply, bool modern) {
  if (!modern || !reply.contains("error")) return 200;
  switch (static_cast<RpcCode>(reply["error"]["code"].get<int>())) {
    case RpcCode::method_not_found:
      return 404;
    case RpcCode::unsupported_version:
    case RpcCode::header_mismatch:
      return 400;
    case RpcCode::busy:
      return 429;
    default:
      return 200;
  }
}

/// Which field of a request the header Mcp-Name repeats.
const char* name_source(const std::string& method) {
  if (method == "tools/call" || method == "prompts/get") return "name";
  return method == "resources/read" ? "uri" : nullptr;
}

/// What headers of the stateless revision say otherwise than the message; empty: nothing.
std::string header_objection(const WebRequest& request, const Call& call) {
  const Json& version = call.params["_meta"]["io.modelcontextprotocol/protocolVersion"];
  if (version != request.header("MCP-Protocol-Version")) {
    return "the header MCP-Protocol-Version does not say what _meta says";
  }
  if (request.header("Mcp-Method") != call.method) {
    return "the header Mcp-Method does not name the method";
  }
  const char* key = name_source(call.method);
  if (key == nullptr) return "";
  const std::string given = request.header("Mcp-Name");
  const bool packed = given.starts_with("=?base64?");  // of names that no header can carry
  const auto name = call.params.find(key);
  if (packed || (name != call.params.end() && *name == given)) return "";
  return std::string("the header Mcp-Name does not say what params.") + key + " says";
}

bool is_known_version(const std::string& version) {
  const auto versions = known_versions();
  return std::find(versions.begin(), versions.end(), version) != versions.end();
}

bool accepts_events(const WebRequest& request) {
  const std::string accepted = request.header("Accept");
  return accepted.find("text/event-stream") != accepted.npos;
}

bool is_json(const WebRequest& request) {
  const std::string type = request.header("Content-Type");
  return type.substr(0, type.find(';')) == "application/json";
}

/// Events of one call. A client that is gone has its call cancelled.
class EventListener final : public Listener {
 public:
  EventListener(const report::WriteChunk& write, Connection& connection, const Json& id)
      : write_(write), connection_(connection), id_(id) {}
  void notify(const Json& message) override { say("data: " + line_of(message) + "\n\n"); }
  void still_working() override { say(": still working\n\n"); }

 private:
  void say(const std::string& text) {
    if (!write_(text)) connection_.cancel(id_);
  }
  const report::WriteChunk& write_;
  Connection& connection_;
  const Json& id_;
};

/// A place among the slow calls, given back with this object.
class SlowPlace {
 public:
  explicit SlowPlace(std::shared_ptr<std::atomic<int>> count) : count_(std::move(count)) {
    got_ = ++*count_ <= kMaxSlowCalls;
  }
  ~SlowPlace() { --*count_; }
  SlowPlace(const SlowPlace&) = delete;
  SlowPlace& operator=(const SlowPlace&) = delete;
  [[nodiscard]] bool got() const { return got_; }

 private:
  std::shared_ptr<std::atomic<int>> count_;
  bool got_;
};

class Silence final : public Listener {
 public:
  void notify(const Json&) override {}
};

}  // namespace

report::Endpoint HttpTransport::endpoint(const std::string& path) {
  return {path, {"POST", "DELETE"}, kMaxMessageBytes, [this](const WebRequest& request) {
            return answer(request);
          }};
}

WebAnswer HttpTransport::answer(const WebRequest& request) {
  return request.method == "DELETE" ? end_session(request) : post(request);
}

void HttpTransport::cancel_all() {
  const std::lock_guard lock(mutex_);
  for (auto& [id, session] : sessions_) session.connection->cancel_all();
  for (auto& [unused, weak] : passing_) {
    if (const auto connection = weak.lock()) connection->cancel_all();
  }
}

std::shared_ptr<Connection> HttpTransport::session(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return nullptr;
  found->second.used = std::chrono::steady_clock::now();
  return found->second.connection;
}

std::string HttpTransport::new_session(std::shared_ptr<Connection> connection) {
  const auto now = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  std::erase_if(sessions_, [&](const auto& row) { return now - row.second.used > kLongestIdle; });
  if (sessions_.size() >= kMaxSessions) {
    const auto oldest = std::min_element(
        sessions_.begin(), sessions_.end(),
        [](const auto& a, const auto& b) { return a.second.used < b.second.used; });
    oldest->second.connection->cancel_all();
    sessions_.erase(oldest);
  }
  const std::string id = random_name();
  sessions_[id] = {std::move(connection), now};
  return id;
}

WebAnswer HttpTransport::end_session(const WebRequest& request) {
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(request.header("Mcp-Session-Id"));
  if (found == sessions_.end()) {
    return refusal(404, RpcCode::invalid_request, "there is no such session");
  }
  found->second.connection->cancel_all();
  sessions_.erase(found);
  return {204, "", ""};
}

WebAnswer HttpTransport::post(const WebRequest& request) {
  if (!is_json(request)) {
    return refusal(415, RpcCode::invalid_request, "Content-Type must be application/json");
  }
  auto parsed = parse_text(request.body);
  if (const auto* error = std::get_if<RpcError>(&parsed)) {
    return json_answer(400, failure(nullptr, *error));
  }
  const Json& value = std::get<Json>(parsed);
  if (value.is_array()) {
    return refusal(400, RpcCode::invalid_request, "one message per request; batches are not taken");
  }
  const Message message = message_of(value);
  if (const auto* wrong = std::get_if<BadMessage>(&message)) {
    return json_answer(400, failure(wrong->id, wrong->error));
  }
  const auto* call = std::get_if<Call>(&message);
  if (call == nullptr) return {202, "", ""};
  if (Server::is_modern(message)) {
    if (!call->is_notification()) {
      if (const auto wrong = header_objection(request, *call); !wrong.empty()) {
        return refusal(400, RpcCode::header_mismatch, wrong, call->id);
      }
    }
    auto connection = std::make_shared<Connection>(server_.options().max_calls);
    {
      const std::lock_guard lock(mutex_);
      std::erase_if(passing_, [](const auto& row) { return row.second.expired(); });
      passing_[connection.get()] = connection;
    }
    return converse(request, message, connection, true);
  }
  const std::string version = request.header("MCP-Protocol-Version");
  if (!version.empty() && !is_known_version(version)) {
    return refusal(400, RpcCode::unsupported_version, "this protocol version is not spoken here",
                   call->id);
  }
  if (call->method == "initialize") return initialize(request, message);
  const std::string id = request.header("Mcp-Session-Id");
  if (id.empty()) {
    return refusal(400, RpcCode::invalid_request,
                   "begin with initialize and send its Mcp-Session-Id", call->id);
  }
  const auto connection = session(id);
  if (!connection) {
    return refusal(404, RpcCode::invalid_request, "there is no such session", call->id);
  }
  return converse(request, message, connection, false);
}

WebAnswer HttpTransport::initialize(const WebRequest&, const Message& message) {
  auto connection = std::make_shared<Connection>(server_.options().max_calls);
  Silence silence;
  const auto reply = server_.handle(message, *connection, silence);
  if (!reply) return {202, "", ""};
  WebAnswer answer = json_answer(200, *reply);
  if (!connection->version().empty()) {
    answer.headers.emplace_back("Mcp-Session-Id", new_session(std::move(connection)));
  }
  return answer;
}

WebAnswer HttpTransport::converse(const WebRequest& request, const Message& message,
                                  std::shared_ptr<Connection> connection, bool modern) {
  const bool slow = Server::is_slow(message);
  const auto place = slow ? std::make_shared<SlowPlace>(under_way_) : nullptr;
  if (slow && !place->got()) {
    WebAnswer busy = refusal(429, RpcCode::busy, "busy: too many calls are under way",
                             std::get<Call>(message).id);
    busy.headers.emplace_back("Retry-After", "5");
    return busy;
  }
  if (!slow || !accepts_events(request)) {
    Silence silence;
    const auto reply = server_.handle(message, *connection, silence);
    if (!reply) return {202, "", ""};
    return json_answer(status_of(*reply, modern), *reply);
  }
  WebAnswer answer;
  answer.type = "text/event-stream";
  answer.stream = [this, message, connection, place](const report::WriteChunk& write) {
    EventListener listener(write, *connection, std::get<Call>(message).id);
    if (const auto reply = server_.handle(message, *connection, listener)) {
      listener.notify(*reply);
    }
  };
  return answer;
}

}  // namespace warpwright::mcp
